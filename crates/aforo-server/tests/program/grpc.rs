//! RL-47: gRPC callers see a limit as a limit.

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use http_body_util::BodyExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

use crate::support::{Program, Upstream};

/// Messages that are bytes.
#[derive(Clone, Copy, Default)]
struct Plain;

impl Codec for Plain {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let length = buffer.remaining();
        Ok(Some(buffer.copy_to_bytes(length)))
    }
}

/// Answers with what it got; `fail` gets a status in the trailers.
#[derive(Clone)]
struct Echo;

impl tonic::server::UnaryService<Bytes> for Echo {
    type Response = Bytes;
    type Future = std::future::Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let message = request.into_inner();
        std::future::ready(if message == "fail" {
            Err(Status::failed_precondition("as asked"))
        } else {
            Ok(Response::new(message))
        })
    }
}

fn upstream(calls: Arc<AtomicU32>) -> Upstream {
    Upstream::serving(move |request| {
        calls.fetch_add(1, Ordering::SeqCst);
        async move {
            assert_eq!(request.version(), http::Version::HTTP_2);
            let response = tonic::server::Grpc::new(Plain).unary(Echo, request).await;
            let (head, body) = response.into_parts();
            // Collected with its trailers.
            let body = body.collect().await.unwrap().boxed();
            http::Response::from_parts(head, body)
        }
    })
}

async fn call(client: &mut Grpc<Channel>, message: &'static str) -> Result<Bytes, Status> {
    client.ready().await.unwrap();
    let path = PathAndQuery::from_static("/aforo.test.Echo/Say");
    let request = Request::new(Bytes::from(message));
    client
        .unary(request, path, Plain)
        .await
        .map(Response::into_inner)
}

#[tokio::test]
async fn rl_47_a_limit_is_resource_exhausted_and_never_unavailable() {
    let calls = Arc::new(AtomicU32::new(0));
    let upstream = upstream(Arc::clone(&calls));
    let program = Program::before(upstream.address(), r#"["2/hour fixed-window"]"#);
    let url = format!("http://{}", program.address());
    let channel = Channel::from_shared(url).unwrap().connect().await.unwrap();
    let mut client = Grpc::new(channel);

    assert_eq!(call(&mut client, "hello").await.unwrap(), "hello");
    let failed = call(&mut client, "fail").await.unwrap_err();
    assert_eq!(
        (failed.code(), failed.message()),
        (Code::FailedPrecondition, "as asked")
    );
    let denied = call(&mut client, "hello").await.unwrap_err();
    assert_eq!(denied.code(), Code::ResourceExhausted);
    assert!(!denied.details().is_empty(), "when to come back");
    assert_eq!(calls.load(Ordering::SeqCst), 2, "nothing is sent again");
}
