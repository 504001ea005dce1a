//! The layer in a tonic server, asked by a tonic client.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use aforo::Limiter;
use bytes::{Buf, BufMut};
use http::{Request, Response};
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Code, Status};

/// Messages are bytes as they are.
#[derive(Clone, Copy, Default)]
struct Plain;

impl Codec for Plain {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;
    fn encoder(&mut self) -> Self {
        *self
    }
    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Plain {
    type Item = Vec<u8>;
    type Error = Status;
    fn encode(&mut self, item: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = Vec<u8>;
    type Error = Status;
    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut item = vec![0; from.remaining()];
        from.copy_to_slice(&mut item);
        Ok(Some(item))
    }
}

/// Answers every call with what it was sent, and counts them.
#[derive(Clone, Default)]
struct Echo(Arc<AtomicUsize>);

impl NamedService for Echo {
    const NAME: &'static str = "test.Echo";
}

impl UnaryService<Vec<u8>> for Echo {
    type Response = Vec<u8>;
    type Future = std::future::Ready<Result<tonic::Response<Vec<u8>>, Status>>;
    fn call(&mut self, request: tonic::Request<Vec<u8>>) -> Self::Future {
        self.0.fetch_add(1, Ordering::Relaxed);
        std::future::ready(Ok(tonic::Response::new(request.into_inner())))
    }
}

impl tower::Service<Request<Body>> for Echo {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future =
        std::pin::Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let echo = self.clone();
        Box::pin(async move { Ok(Grpc::new(Plain).unary(echo, request).await) })
    }
}

async fn serve(limiter: &Limiter, echo: Echo) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let layer = limiter.layer();
    tokio::spawn(async move {
        let incoming = tonic::transport::server::TcpIncoming::from(listener);
        tonic::transport::Server::builder()
            .layer(layer)
            .add_service(echo)
            .serve_with_incoming(incoming)
            .await
            .unwrap();
    });
    address
}

async fn call(address: SocketAddr) -> Result<Vec<u8>, Status> {
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{address}"))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let request = tonic::Request::new(b"ping".to_vec());
    let path = http::uri::PathAndQuery::from_static("/test.Echo/Ping");
    let response = client.unary(request, path, Plain).await?;
    Ok(response.into_inner())
}

#[tokio::test]
async fn rl_47_grpc_callers_see_a_limit_and_not_an_outage() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["1/minute"])
        .build()
        .unwrap();
    let echo = Echo::default();
    let address = serve(&limiter, echo.clone()).await;
    assert_eq!(call(address).await.unwrap(), b"ping");
    let denied = call(address).await.unwrap_err();
    assert_eq!(denied.code(), Code::ResourceExhausted);
    // Retry info is attached.
    assert!(denied.metadata().contains_key("retry-after") || !denied.details().is_empty());
    assert_eq!(echo.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn rl_47_the_denial_is_trailers_only() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["0/minute"])
        .build()
        .unwrap();
    let address = serve(&limiter, Echo::default()).await;
    let client = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new())
        .http2_only(true)
        .build_http();
    let request = Request::post(format!("http://{address}/test.Echo/Ping"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(http_body_util::Full::<bytes::Bytes>::from(
            &b"\0\0\0\0\0"[..],
        ))
        .unwrap();
    let response = client.request(request).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["grpc-status"], "8");
    assert_eq!(response.headers()["content-type"], "application/grpc");
    let body = http_body_util::BodyExt::collect(response.into_body())
        .await
        .unwrap();
    assert!(body.trailers().is_none());
    assert!(body.to_bytes().is_empty());
}
