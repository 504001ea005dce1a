//! Envoy's protocol: `h2load` on Aforo, and on tonic with nothing to do but to give a constant answer.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use aforo_benches::Failure;
use aforo_benches::row::{Row, Target};
use aforo_benches::series::{Series, alternate};
use http::{Request, Response};
use prost::Message;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server as TonicServer;
use tonic::{Status, codegen::BoxFuture};
use tonic_prost::ProstCodec;

use crate::load::{Round, h2};
use crate::messages::{
    Code, CurrentLimit, DescriptorStatus, Entry, HeaderValue, Metadata, MetadataField,
    MetadataKind, MetadataValue, RateLimitDescriptor, RateLimitRequest, RateLimitResponse, Seconds,
    Unit,
};
use crate::server::Server;
use crate::{ROUNDS, connections, programs};

/// Requests of a round.
const COUNT: u32 = 100_000;

/// All rows.
pub(crate) fn rows() -> Result<Vec<Row>, Failure> {
    let (aforo, _, grpc) = programs::aforo()?;
    let (plain, port) = programs::plain()?;
    let body = std::env::temp_dir().join(format!("aforo-bench-{grpc}.bin"));
    std::fs::write(&body, framed(&request()))?;
    let (our_cpu, their_cpu) = (RefCell::<Series>::default(), RefCell::<Series>::default());
    let ask = |server: &Server, port, cpu: &RefCell<Series>| {
        let Round { micros, cpu: spent } = h2(server, port, &body, COUNT)?;
        cpu.borrow_mut().push(spent);
        Ok(micros)
    };
    let [ours, theirs] = alternate(
        ROUNDS,
        [&mut || ask(&aforo, grpc, &our_cpu), &mut || {
            ask(&plain, port, &their_cpu)
        }],
    )?;
    let what = "grpc: `ShouldRateLimit`, 2 descriptors, over tonic with a constant answer";
    let of_connection = connections::bytes(&aforo, grpc, PREFACE)?;
    let told = "grpc: CPU, of tonic with a constant answer";
    Ok(vec![
        Row::times_faster(what, &ours, &theirs, "µs", Target::AtLeast(0.85)),
        Row::share(
            told,
            &our_cpu.into_inner(),
            &their_cpu.into_inner(),
            "µs",
            Target::Told,
        ),
        Row {
            what: "grpc: memory of an idle connection".to_owned(),
            ours: format!("{of_connection:.0} bytes"),
            theirs: String::new(),
            figure: String::new(),
            value: of_connection,
            target: Target::Told,
        },
    ])
}

/// A client's preface and settings (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";

/// A message as a gRPC body has it.
fn framed(message: &impl Message) -> Vec<u8> {
    let encoded = message.encode_to_vec();
    let length = u32::try_from(encoded.len()).unwrap_or(u32::MAX);
    let mut framed = vec![0];
    framed.extend_from_slice(&length.to_be_bytes());
    framed.extend_from_slice(&encoded);
    framed
}

fn request() -> RateLimitRequest {
    let entry = |key: &str, value: &str| Entry {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    let descriptor = |entries| RateLimitDescriptor {
        entries,
        ..RateLimitDescriptor::default()
    };
    RateLimitRequest {
        domain: "bench".to_owned(),
        descriptors: vec![
            descriptor(vec![entry("remote_address", "192.0.2.17")]),
            descriptor(vec![entry("plan", "pro"), entry("user", "ana")]),
        ],
        hits_addend: 0,
    }
}

/// What Aforo answers, with its numbers at one moment.
fn answer() -> RateLimitResponse {
    let status = |name: &str, unit: Unit, reset| DescriptorStatus {
        code: Code::Ok.into(),
        current_limit: Some(CurrentLimit {
            requests_per_unit: 1_000_000_000,
            unit: unit.into(),
            name: name.to_owned(),
        }),
        limit_remaining: 999_999_999,
        duration_until_reset: Some(Seconds { seconds: reset }),
    };
    let header = |key: &str, value: &str| HeaderValue {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    let field = |key: &str, text: &str| MetadataField {
        key: key.to_owned(),
        value: Some(MetadataValue {
            kind: Some(MetadataKind::Text(text.to_owned())),
        }),
    };
    RateLimitResponse {
        overall_code: Code::Ok.into(),
        statuses: vec![
            status("address", Unit::Hour, 3_600),
            status("user", Unit::Minute, 60),
        ],
        response_headers_to_add: vec![
            header("x-ratelimit-limit", "1000000000"),
            header("x-ratelimit-remaining", "999999999"),
            header("x-ratelimit-reset", "1796000000"),
            header("x-ratelimit-policy", "address;w=3600"),
            header(
                "ratelimit-policy",
                "\"address\";q=1000000000;w=3600, \"user\";q=1000000000;w=60",
            ),
            header(
                "ratelimit",
                "\"address\";r=999999999;t=3600, \"user\";r=999999999;t=60",
            ),
        ],
        raw_body: bytes::Bytes::new(),
        dynamic_metadata: Some(Metadata {
            fields: vec![
                field("policy", "address"),
                field("partition", "0123456789abcdef0123456789abcdef"),
            ],
        }),
    }
}

/// Gives a constant answer.
#[derive(Clone)]
struct Plain;

impl UnaryService<RateLimitRequest> for Plain {
    type Response = RateLimitResponse;
    type Future = Ready<Result<tonic::Response<RateLimitResponse>, Status>>;

    fn call(&mut self, _request: tonic::Request<RateLimitRequest>) -> Self::Future {
        ready(Ok(tonic::Response::new(answer())))
    }
}

impl NamedService for Plain {
    const NAME: &'static str = "envoy.service.ratelimit.v3.RateLimitService";
}

impl tower_service::Service<Request<Body>> for Plain {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Response<Body>, Infallible>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(async move {
            let codec = ProstCodec::<RateLimitResponse, RateLimitRequest>::default();
            Ok(Grpc::new(codec).unary(Self, request).await)
        })
    }
}

/// tonic's own server, as its documentation starts one.
pub(crate) fn serve_plainly(port: Option<String>) -> Result<(), Failure> {
    let address = format!("127.0.0.1:{}", port.ok_or("expected a port")?).parse()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let serving = TonicServer::builder().add_service(Plain).serve(address);
    Ok(runtime.block_on(serving)?)
}
