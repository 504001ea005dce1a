//! Answers for gRPC, decoded with another protobuf implementation.

use ::http::StatusCode;
use aforo_core::{Outcome, Verdict};
use aforo_policy::Refusal;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use prost::Message;

use super::super::test_outcomes::*;
use super::answer_tests::{Scene, header, text};
use super::*;

/// `google.rpc.Status`
#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

/// `google.protobuf.Any`
#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

/// `google.rpc.RetryInfo`
#[derive(Clone, PartialEq, Message)]
struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    retry_delay: Option<Length>,
}

/// `google.protobuf.Duration`
#[derive(Clone, PartialEq, Message)]
struct Length {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}

#[test]
fn rl_47_a_grpc_caller_is_told_resource_exhausted_with_retry_info() {
    let quota = fixed(1, seconds(60));
    let refused = denied(&quota, 0, millis(59_250), millis(59_250));
    let mut scene = Scene::of(&[violated("p", &quota, refused)])
        .sending("content-type", "application/grpc+proto");
    scene.jitter = seconds(1);
    let response = scene.exceeded();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        header(&response, "content-type"),
        Some("application/grpc+proto")
    );
    assert_eq!(header(&response, "grpc-status"), Some("8"));
    assert_eq!(header(&response, "grpc-retry-pushback-ms"), Some("60250"));
    assert_eq!(header(&response, "retry-after"), Some("61"));
    assert_eq!(header(&response, "ratelimit"), Some("\"p\";r=0;t=60"));
    let message = "The quota of policy p is exceeded. Try again in 1 minute and 1 second.";
    assert_eq!(header(&response, "grpc-message"), Some(message));

    let details = header(&response, "grpc-status-details-bin").unwrap();
    let status = Status::decode(&*STANDARD_NO_PAD.decode(details).unwrap()).unwrap();
    assert_eq!((status.code, status.message.as_str()), (8, message));
    assert_eq!(status.details.len(), 1);
    let any = &status.details[0];
    assert_eq!(any.type_url, "type.googleapis.com/google.rpc.RetryInfo");
    let retry = RetryInfo::decode(&*any.value).unwrap();
    let expected = Length {
        seconds: 60,
        nanos: 250_000_000,
    };
    assert_eq!(retry.retry_delay, Some(expected));
    assert_eq!(text(response), "");
}

#[test]
fn a_message_is_percent_encoded() {
    let quota = fixed(1, seconds(60));
    let scene = Scene::of(&[violated(
        "p",
        &quota,
        denied(&quota, 0, seconds(1), seconds(1)),
    )])
    .sending("content-type", "application/grpc")
    .sending("accept-language", "es");
    assert_eq!(
        header(&scene.exceeded(), "grpc-message"),
        Some(
            "Se ha superado la cuota de la pol%C3%ADtica p. \
             Vuelva a intentarlo dentro de 1 segundo."
        )
    );
    let refusal = Refusal::UnreadableBody {
        expected: "100% \u{7f}".to_owned(),
    };
    assert_eq!(
        header(&scene.answer(&Refused::Refusal(&refusal)), "grpc-message"),
        Some("El cuerpo no se puede leer como 100%25 %7F.")
    );
}

#[test]
fn where_coming_back_does_not_help_clients_are_told_not_to_retry() {
    let quota = bucket(60, seconds(60), Some(10));
    let impossible = Outcome {
        verdict: Verdict::Impossible,
        ..allowed(&quota, 7, millis(500), seconds(3))
    };
    let scene =
        Scene::of(&[violated("p", &quota, impossible)]).sending("content-type", "application/grpc");
    let response = scene.answer(&Refused::Impossible);
    assert_eq!(header(&response, "grpc-status"), Some("3"));
    assert_eq!(header(&response, "grpc-retry-pushback-ms"), Some("-1"));
    assert_eq!(header(&response, "grpc-status-details-bin"), None);
    let blocked = Scene::of(&[blocked("p")]).sending("content-type", "application/grpc");
    let response = blocked.exceeded();
    assert_eq!(header(&response, "grpc-status"), Some("8"));
    assert_eq!(header(&response, "grpc-retry-pushback-ms"), Some("-1"));
    assert_eq!(header(&response, "retry-after"), None);
}

#[test]
fn every_refusal_has_its_grpc_status() {
    let scene = Scene::of(&[]).sending("content-type", "application/grpc");
    let missing = Refusal::MissingPart {
        policy: "p".to_owned(),
        part: "header:x".to_owned(),
    };
    let plan = Refusal::PlanRequired { plans: Vec::new() };
    let cases = [
        (Refused::Refusal(&missing), "3"),
        (Refused::Refusal(&plan), "7"),
        (Refused::BodyTooLarge { most: 1 }, "8"),
        (Refused::PeerUnknown, "13"),
        (Refused::StoreFailed, "14"),
        (Refused::Anonymous, "16"),
    ];
    for (refused, code) in cases {
        let response = scene.answer(&refused);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(&response, "grpc-status"), Some(code), "{refused:?}");
    }
}

#[test]
fn only_grpc_media_types_are_answered_so() {
    let is_grpc = |value: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
        grpc::media_type(&headers).map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(
        is_grpc("application/grpc").as_deref(),
        Some("application/grpc")
    );
    assert_eq!(
        is_grpc("Application/gRPC-web+proto; charset=x").as_deref(),
        Some("Application/gRPC-web+proto")
    );
    for other in [
        "application/grpcx",
        "application/json",
        "application/grp",
        "",
        "grpc",
    ] {
        assert_eq!(is_grpc(other), None, "{other}");
    }
    assert_eq!(grpc::media_type(&HeaderMap::new()), None);
}
