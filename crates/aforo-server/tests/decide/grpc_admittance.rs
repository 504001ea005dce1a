//! Who may ask the rate limit service, how much at once, and what is said of its health.

use std::time::Duration;

use http::uri::PathAndQuery;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Code, Request};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use crate::grpc_client::{Client, descriptor, request};
use crate::support::{Folder, Program, Verdict};

const FILE: &str = "[decide]\ngrpc = \"127.0.0.1:0\"\n[[descriptors]]\ndomain = \"d\"\n\
                    entries = [{ key = \"a\" }]\npolicies = [\"1000/day burst 1000\"]\n";

fn ask() -> crate::grpc_client::RateLimitRequest {
    request("d", vec![descriptor(&[("a", "b")])])
}

async fn channel(program: &Program) -> Channel {
    let address = program.service("grpc");
    let channel = Channel::from_shared(format!("http://{address}")).unwrap();
    channel.connect().await.unwrap()
}

#[tokio::test]
async fn clients_show_the_token() {
    let text = FILE.replace("[[desc", "token = { env = \"ASKING\" }\n[[desc");
    let program = Program::with_variables(&text, &[("ASKING", "hunter2")]);
    let mut client = Client::of(&program).await;
    for wrong in [
        None,
        Some("hunter2"),
        Some("Basic hunter2"),
        Some("Bearer hunter3"),
    ] {
        let mut client = Client::of(&program).await;
        client.token = wrong;
        assert_eq!(
            client.ask(ask()).await.unwrap_err().code(),
            Code::Unauthenticated
        );
    }
    client.token = Some("Bearer hunter2");
    assert_eq!(client.codes(ask()).await, (1, vec![1]));
    // Whoever looks after the instance needs no token.
    let mut health = HealthClient::new(channel(&program).await);
    let answer = health.check(HealthCheckRequest::default()).await.unwrap();
    assert_eq!(answer.into_inner().status, 1);
}

#[test]
fn beyond_loopback_somebody_says_who_may_ask() {
    let folder = Folder::new();
    let file = folder.put("aforo.toml", "[decide]\ngrpc = \"0.0.0.0:0\"\n");
    let verdict = Verdict::of(&["run".as_ref(), file.as_os_str()]);
    assert_eq!(verdict.code, 2);
    assert!(
        verdict
            .stderr
            .contains("anybody who reaches `0.0.0.0:0` may ask")
    );
    let _open = Program::with_file("[decide]\ngrpc = \"0.0.0.0:0\"\nopen = true\n");
}

#[tokio::test]
async fn too_much_is_a_clean_error() {
    let program = Program::with_file(FILE);
    let mut client = Client::of(&program).await;
    let many = |count| request("d", vec![descriptor(&[("a", "b")]); count]);
    let code = async |client: &mut Client, asked| client.ask(asked).await.unwrap_err().code();
    assert_eq!(client.codes(many(128)).await.0, 1);
    assert_eq!(code(&mut client, many(129)).await, Code::InvalidArgument);
    assert_eq!(code(&mut client, many(10_000)).await, Code::InvalidArgument);
    assert_eq!(code(&mut client, many(0)).await, Code::InvalidArgument);
    let long = "x".repeat(2 * 1024 * 1024);
    let large = request("d", vec![descriptor(&[("a", &long)])]);
    assert_eq!(code(&mut client, large).await, Code::OutOfRange);
    let entries = vec![("a", "b"); 65];
    let deep = request("d", vec![descriptor(&entries)]);
    assert_eq!(code(&mut client, deep).await, Code::InvalidArgument);
    assert_eq!(
        code(&mut client, request("", vec![descriptor(&[("a", "b")])])).await,
        Code::InvalidArgument
    );
    assert_eq!(
        code(&mut client, request("d", vec![descriptor(&[])])).await,
        Code::InvalidArgument
    );
    assert_eq!(client.codes(ask()).await.0, 1);
}

#[test]
fn rubbish_ends_the_connection_and_nothing_else() {
    let program = Program::with_file(FILE);
    for sent in [
        &b"POST / HTTP/1.1\r\nhost: a\r\n\r\n"[..],
        b"*1\r\n$4\r\nPING\r\n",
        b"\x16\x03\x01\x02\x00",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\x00\x00\x00\x00\x00\x00",
    ] {
        let mut client = program.client_of("grpc");
        let _ = client.try_send(sent);
        client.finish();
        let told = client.rest();
        assert!(
            !String::from_utf8_lossy(&told).contains("HTTP/1"),
            "{told:?}"
        );
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut client = Client::of(&program).await;
        assert_eq!(client.codes(ask()).await.0, 1);
    });
}

#[tokio::test]
async fn idle_and_silent_connections_are_closed() {
    let text = FILE.replace(
        "[[desc",
        "max_connections = 3\nidle_timeout = \"400ms\"\nrequest_timeout = \"200ms\"\n[[desc",
    );
    let program = Program::with_file(&text);
    // Silent from the start, half a preface, and idle after an answer.
    let mut silent = program.client_of("grpc");
    let mut half = program.client_of("grpc");
    half.send("PRI * HTTP/2.0\r\n");
    let mut client = Client::of(&program).await;
    assert_eq!(client.codes(ask()).await.0, 1);
    assert!(silent.has_ended());
    let _ = half.rest();
    // Seats are free again.
    for _ in 0..3 {
        let mut client = Client::of(&program).await;
        assert_eq!(client.codes(ask()).await.0, 1);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn health_and_reflection_answer() {
    let program = Program::with_file(FILE);
    let mut health = HealthClient::new(channel(&program).await);
    for name in ["", "envoy.service.ratelimit.v3.RateLimitService"] {
        let asked = HealthCheckRequest {
            service: name.to_owned(),
        };
        let HealthCheckResponse { status } = health.check(asked).await.unwrap().into_inner();
        assert_eq!(status, 1, "{name:?} is serving");
    }
    let asked = HealthCheckRequest {
        service: "other".to_owned(),
    };
    assert_eq!(
        health.check(asked).await.unwrap_err().code(),
        Code::NotFound
    );

    let listed = reflect(&program, MessageRequest::ListServices(String::new())).await;
    let MessageResponse::ListServicesResponse(list) = listed else {
        panic!("{listed:?}")
    };
    let names: Vec<&str> = list.service.iter().map(|one| one.name.as_str()).collect();
    assert!(
        names.contains(&"envoy.service.ratelimit.v3.RateLimitService"),
        "{names:?}"
    );
    assert!(names.contains(&"grpc.health.v1.Health"), "{names:?}");
    let method = "envoy.service.ratelimit.v3.RateLimitService.ShouldRateLimit";
    let found = reflect(
        &program,
        MessageRequest::FileContainingSymbol(method.to_owned()),
    )
    .await;
    let MessageResponse::FileDescriptorResponse(files) = found else {
        panic!("{found:?}")
    };
    let file: prost_types::FileDescriptorProto =
        prost::Message::decode(files.file_descriptor_proto[0].as_slice()).unwrap();
    assert_eq!(file.name(), "envoy/service/ratelimit/v3/rls.proto");
    // Every file that one needs is there.
    for import in file.dependency {
        let found = reflect(&program, MessageRequest::FileByFilename(import.clone())).await;
        assert!(
            matches!(found, MessageResponse::FileDescriptorResponse(_)),
            "{import}"
        );
    }
}

/// What reflection answers, as `grpcurl` asks.
async fn reflect(program: &Program, asked: MessageRequest) -> MessageResponse {
    let mut grpc = Grpc::new(channel(program).await);
    grpc.ready().await.unwrap();
    let path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let message = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(asked),
    };
    let codec = ProstCodec::<ServerReflectionRequest, ServerReflectionResponse>::default();
    let stream = futures_util::stream::iter([message]);
    let path = PathAndQuery::from_static(path);
    let mut answers = grpc
        .streaming(Request::new(stream), path, codec)
        .await
        .unwrap()
        .into_inner();
    let answer = answers.message().await.unwrap().unwrap();
    answer.message_response.unwrap()
}

#[tokio::test]
async fn open_questions_are_answered_when_it_stops() {
    let mut program = Program::with_file(FILE);
    let mut client = Client::of(&program).await;
    assert_eq!(client.codes(ask()).await.0, 1);
    program.terminate();
    assert!(program.ended().success());
}
