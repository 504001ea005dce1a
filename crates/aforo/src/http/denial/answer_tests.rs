//! Whole answers, as callers see them.

use ::http::StatusCode;
use aforo_core::{Outcome, Span, Verdict};
use aforo_policy::{
    Cors, Credential, CredentialSource, Identity, Language, PathError, Refusal, RetryAfter,
};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::super::test_outcomes::*;
use super::*;
use crate::http::ShownPolicy;

/// A request and everything that its answer depends on.
pub(super) struct Scene<'a> {
    pub(super) request: HeaderMap,
    pub(super) policies: Vec<ShownPolicy<'a>>,
    pub(super) responses: Responses,
    pub(super) identity: Identity,
    pub(super) credential: Credential,
    pub(super) cors: Option<Cors>,
    pub(super) jitter: Span,
    pub(super) operations: Option<u64>,
    pub(super) plan: Option<&'a str>,
}

impl<'a> Scene<'a> {
    pub(super) fn of(policies: &[ShownPolicy<'a>]) -> Self {
        Self {
            request: HeaderMap::new(),
            policies: policies.to_vec(),
            responses: Responses::default(),
            identity: Identity::default(),
            credential: Credential::Absent,
            cors: None,
            jitter: Span::ZERO,
            operations: None,
            plan: None,
        }
    }

    pub(super) fn sending(mut self, name: &'static str, value: &'static str) -> Self {
        self.request.append(name, HeaderValue::from_static(value));
        self
    }

    pub(super) fn answer(&self, refused: &Refused<'_>) -> Response<AnswerBody> {
        let shown = Shown {
            policies: self.policies.iter().copied().collect(),
            plan: self.plan,
            upgrade_url: Some("https://example.com/plans"),
        };
        let asked = Asked {
            headers: &self.request,
            credential: self.credential,
            identity: &self.identity,
            cors: self.cors.as_ref(),
            now: AT,
            jitter: self.jitter,
            operations: self.operations,
            id: DecisionId::next(),
        };
        answer(refused, &shown, &self.responses, &asked)
    }

    pub(super) fn exceeded(&self) -> Response<AnswerBody> {
        self.answer(&Refused::Exceeded)
    }
}

pub(super) fn text(response: Response<AnswerBody>) -> String {
    let body = response.into_body().collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let bytes = runtime.block_on(body).unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The body without its id, which differs every time.
fn document(response: Response<AnswerBody>) -> Value {
    let mut document: Value = serde_json::from_str(&text(response)).unwrap();
    let id = document.as_object_mut().unwrap().remove("decision_id");
    assert_eq!(id.unwrap().as_str().unwrap().len(), 16);
    document
}

pub(super) fn header<'a>(response: &'a Response<AnswerBody>, name: &str) -> Option<&'a str> {
    let values: Vec<_> = response.headers().get_all(name).iter().collect();
    assert!(values.len() <= 1, "{name}: {values:?}");
    values.first().map(|value| value.to_str().unwrap())
}

#[test]
fn a_denial_says_all_that_is_known_and_disclosed() {
    let (minute, hour) = (
        bucket(60, seconds(60), Some(10)),
        bucket(90, seconds(3_600), Some(20)),
    );
    let mut scene = Scene::of(&[
        violated(
            "pro-minute",
            &minute,
            denied(&minute, 0, millis(900), millis(900)),
        ),
        violated(
            "pro-hour",
            &hour,
            denied(&hour, 3, millis(39_100), millis(100)),
        ),
    ]);
    scene.plan = Some("pro");
    scene.credential = Credential::Verified;
    scene.responses.documentation_url = Some("https://example.com/docs".to_owned());
    let response = scene.exceeded();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&response, "retry-after"), Some("40"));
    assert_eq!(header(&response, "cache-control"), Some("no-store"));
    assert_eq!(
        header(&response, "content-type"),
        Some("application/problem+json")
    );
    assert_eq!(header(&response, "content-language"), Some("en"));
    assert_eq!(header(&response, "x-ratelimit-reset"), Some("1000040"));
    assert_eq!(
        header(&response, "ratelimit"),
        Some("\"pro-minute\";r=0;t=1, \"pro-hour\";r=3;t=1")
    );
    assert_eq!(
        document(response),
        json!({
            "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
            "title": "Quota exceeded",
            "status": 429,
            "detail": "The quotas of policies pro-minute and pro-hour are exceeded. \
                       Try again in 40 seconds.",
            "violated-policies": ["pro-minute", "pro-hour"],
            "retry_after": 40,
            "limit": 20,
            "remaining": 3,
            "plan": "pro",
            "documentation_url": "https://example.com/docs",
            "upgrade_url": "https://example.com/plans",
        })
    );
}

#[test]
fn rl_12_sub_second_wait_is_rounded_up() {
    let gcra = bucket(5, seconds(1), Some(1));
    let scene = Scene::of(&[violated(
        "p",
        &gcra,
        denied(&gcra, 0, millis(150), millis(150)),
    )]);
    assert_eq!(header(&scene.exceeded(), "retry-after"), Some("1"));
    let window = fixed(1, seconds(10));
    let outcome = until(
        AT.plus(millis(1_900)),
        denied(&window, 0, millis(1_900), millis(1_900)),
    );
    let scene = Scene::of(&[violated("p", &window, outcome)]);
    let response = scene.exceeded();
    assert_eq!(header(&response, "retry-after"), Some("2"));
    assert_eq!(header(&response, "ratelimit"), Some("\"p\";r=0;t=2"));
    assert_eq!(header(&response, "x-ratelimit-reset"), Some("1000002"));
    let nothing = Scene::of(&[violated(
        "p",
        &gcra,
        denied(&gcra, 0, Span::ZERO, Span::ZERO),
    )]);
    assert_eq!(header(&nothing.exceeded(), "retry-after"), Some("1"));
}

#[test]
fn rl_12_jitter_only_adds_and_the_reset_carries_it() {
    let quota = bucket(60, seconds(60), Some(10));
    let refused = denied(&quota, 0, millis(2_300), millis(300));
    let mut scene = Scene::of(&[violated("p", &quota, refused)]);
    scene.jitter = seconds(4);
    let response = scene.exceeded();
    assert_eq!(header(&response, "retry-after"), Some("7"));
    assert_eq!(header(&response, "x-ratelimit-reset"), Some("1000007"));
    assert_eq!(header(&response, "ratelimit"), Some("\"p\";r=0;t=1"));
}

#[test]
fn retry_after_can_be_a_date_of_the_stores_time() {
    let quota = bucket(60, seconds(60), Some(10));
    let refused = Outcome {
        at: AT.plus(millis(1)),
        ..denied(&quota, 0, millis(2_300), millis(300))
    };
    let mut scene = Scene::of(&[violated("p", &quota, refused)]);
    scene.responses.retry_after = RetryAfter::Date;
    assert_eq!(
        header(&scene.exceeded(), "retry-after"),
        Some("Mon, 12 Jan 1970 13:46:44 GMT"),
        "13:46:40.001 and 3 seconds, rounded up"
    );
    let for_ever = denied(&quota, 0, Span::MAX, Span::MAX);
    scene.policies = vec![violated("p", &quota, for_ever)];
    assert_eq!(
        header(&scene.exceeded(), "retry-after"),
        Some("Fri, 31 Dec 9999 23:59:59 GMT")
    );
}

#[test]
fn rlx_36_a_hidden_policy_denies_without_name_and_numbers() {
    let (a, b) = (fixed(3, seconds(60)), fixed(5, seconds(60)));
    let scene = Scene::of(&[
        shown("a", &a, allowed(&a, 2, seconds(60), seconds(60))),
        hidden(violated(
            "secret",
            &b,
            denied(&b, 0, seconds(59), seconds(59)),
        )),
    ]);
    let response = scene.exceeded();
    assert_eq!(header(&response, "retry-after"), Some("59"));
    assert_eq!(header(&response, "x-ratelimit-limit"), None);
    assert!(!format!("{response:?}").contains("secret"));
    assert_eq!(
        document(response),
        json!({
            "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
            "title": "Quota exceeded",
            "status": 429,
            "detail": "There were too many requests. Try again in 59 seconds.",
            "retry_after": 59,
            "upgrade_url": "https://example.com/plans",
        })
    );
}

#[test]
fn quota_zero_has_no_retry_after() {
    let quota = fixed(5, seconds(60));
    let scene = Scene::of(&[
        violated("minute", &quota, denied(&quota, 0, seconds(9), seconds(9))),
        blocked("closed"),
    ]);
    let response = scene.exceeded();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&response, "retry-after"), None);
    let document = document(response);
    assert_eq!(document.get("retry_after"), None);
    assert_eq!(document["limit"], 0);
    assert_eq!(
        document["detail"],
        "Policies minute and closed do not allow this request."
    );
}

#[test]
fn an_impossible_cost_is_422_without_retry_after() {
    let quota = bucket(60, seconds(60), Some(10));
    let outcome = Outcome {
        verdict: Verdict::Impossible,
        ..allowed(&quota, 7, millis(500), seconds(3))
    };
    let scene = Scene::of(&[violated("writes", &quota, outcome)]);
    let response = scene.answer(&Refused::Impossible);
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(header(&response, "retry-after"), None);
    assert_eq!(header(&response, "ratelimit"), Some("\"writes\";r=7;t=7"));
    let document = document(response);
    assert_eq!(
        document["type"],
        "https://aforo-rs.github.io/problems/cost-exceeds-quota"
    );
    assert_eq!(
        document["detail"],
        "This request costs more than the 10 units that policy writes can hold."
    );
}

#[test]
fn an_unrecognised_credential_is_told() {
    let quota = fixed(5, seconds(60));
    let mut scene = Scene::of(&[violated(
        "p",
        &quota,
        denied(&quota, 0, seconds(9), seconds(9)),
    )]);
    scene.credential = Credential::Unrecognised;
    let document = document(scene.exceeded());
    assert_eq!(document["credential"], "unrecognised");
    assert_eq!(
        document["detail"],
        "The quota of policy p is exceeded. Try again in 9 seconds. \
         The credential that was sent is not recognised."
    );
}

#[test]
fn refusals_have_their_status_type_and_sentence() {
    let missing = Refusal::MissingPart {
        policy: "login-account".to_owned(),
        part: "body:/email | form:email".to_owned(),
    };
    let twice = Refusal::DuplicatePart {
        part: "form:email".to_owned(),
    };
    let unreadable = Refusal::UnreadableBody {
        expected: "JSON".to_owned(),
    };
    let plan = Refusal::PlanRequired {
        plans: vec!["pro".to_owned(), "enterprise".to_owned()],
    };
    let cases = [
        (
            Refused::Refusal(&missing),
            400,
            "missing-part",
            "The request lacks body:/email | form:email.",
        ),
        (
            Refused::Refusal(&twice),
            400,
            "duplicate-part",
            "The request has form:email more than once.",
        ),
        (
            Refused::Refusal(&unreadable),
            415,
            "unreadable-body",
            "The body cannot be read as JSON.",
        ),
        (
            Refused::Refusal(&plan),
            403,
            "plan-required",
            "This route takes one of the plans pro or enterprise.",
        ),
        (
            Refused::Path(&PathError::EncodedSlash),
            400,
            "malformed-path",
            "The path holds an encoded slash, a backslash or a NUL.",
        ),
        (
            Refused::Anonymous,
            401,
            "credential-required",
            "This service takes requests with a valid credential only.",
        ),
        (
            Refused::BodyTooLarge { most: 65_536 },
            413,
            "body-too-large",
            "The body has more than 65536 bytes.",
        ),
        (
            Refused::PeerUnknown,
            500,
            "peer-unknown",
            "The server cannot tell where the request comes from. \
             Remedy: into_make_service_with_connect_info::<SocketAddr>() or aforo::PeerAddress.",
        ),
    ];
    let scene = Scene::of(&[]);
    for (refused, status, name, detail) in cases {
        let response = scene.answer(&refused);
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(header(&response, "retry-after"), None);
        assert_eq!(header(&response, "cache-control"), Some("no-store"));
        let document = document(response);
        assert_eq!(document["status"], status);
        assert_eq!(
            document["type"],
            format!("https://aforo-rs.github.io/problems/{name}")
        );
        assert_eq!(document["detail"], detail);
        if status == 403 {
            assert_eq!(document["plans"], json!(["pro", "enterprise"]));
            assert_eq!(document["upgrade_url"], "https://example.com/plans");
        } else {
            assert_eq!(document.get("upgrade_url"), None);
        }
    }
}

#[test]
fn a_401_says_which_credentials_there_are() {
    let mut scene = Scene::of(&[]);
    let response = scene.answer(&Refused::Anonymous);
    assert_eq!(
        header(&response, "www-authenticate"),
        Some("ApiKey realm=\"api\", header=\"x-api-key\"")
    );
    scene.identity.api_key = vec![CredentialSource {
        header: ::http::header::AUTHORIZATION,
        scheme: Some("Bearer".to_owned()),
    }];
    let response = scene.answer(&Refused::Anonymous);
    assert_eq!(
        header(&response, "www-authenticate"),
        Some("Bearer realm=\"api\"")
    );
}

#[test]
fn a_failed_store_is_503_for_a_second_and_invents_no_numbers() {
    let quota = fixed(5, seconds(60));
    let mut unknown = shown("p", &quota, allowed(&quota, 1, seconds(1), seconds(1)));
    unknown.outcome = None;
    let scene = Scene::of(&[unknown]);
    let response = scene.answer(&Refused::StoreFailed);
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(header(&response, "retry-after"), Some("1"));
    assert_eq!(header(&response, "ratelimit"), None);
    assert_eq!(header(&response, "x-ratelimit-limit"), None);
    let document = document(response);
    assert_eq!(
        document["type"],
        "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
    );
    assert_eq!(document.get("limit"), None);
}

#[test]
fn the_caller_is_answered_in_its_language() {
    let quota = fixed(5, seconds(60));
    let policies = [violated(
        "p",
        &quota,
        denied(&quota, 0, seconds(61), seconds(61)),
    )];
    let spanish = Scene::of(&policies).sending("accept-language", "en;q=0.5, es-MX");
    let response = spanish.exceeded();
    assert_eq!(header(&response, "content-language"), Some("es"));
    let document = document(response);
    assert_eq!(document["title"], "Cuota superada");
    assert_eq!(
        document["detail"],
        "Se ha superado la cuota de la política p. \
         Vuelva a intentarlo dentro de 1 minuto y 1 segundo."
    );
    let mut english = Scene::of(&policies).sending("accept-language", "es");
    english.responses.language = Language::English;
    assert_eq!(header(&english.exceeded(), "content-language"), Some("en"));
}

#[test]
fn rl_17_a_429_can_be_read_by_an_allowed_page() {
    let quota = fixed(2, seconds(60));
    let policies = [violated(
        "p",
        &quota,
        denied(&quota, 0, seconds(9), seconds(9)),
    )];
    let mut scene = Scene::of(&policies).sending("origin", "https://app.example");
    assert_eq!(
        header(&scene.exceeded(), "access-control-allow-origin"),
        None
    );
    scene.cors = Some(Cors {
        allow_origins: vec!["https://app.example".to_owned()],
    });
    let response = scene.exceeded();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(
        header(&response, "access-control-allow-origin"),
        Some("https://app.example")
    );
    assert_eq!(header(&response, "vary"), Some("Origin"));
    let exposed = header(&response, "access-control-expose-headers").unwrap();
    for name in [
        "Retry-After",
        "RateLimit",
        "RateLimit-Policy",
        "X-RateLimit-Remaining",
    ] {
        assert!(exposed.split(", ").any(|exposed| exposed == name), "{name}");
    }
}

#[test]
fn rl_49_no_answer_holds_a_raw_key() {
    let quota = fixed(2, seconds(60));
    let mut scene = Scene::of(&[violated(
        "p",
        &quota,
        denied(&quota, 0, seconds(9), seconds(9)),
    )])
    .sending("x-api-key", "sk-very-secret")
    .sending("authorization", "Bearer sk-very-secret");
    scene.credential = Credential::Unrecognised;
    for refused in [Refused::Exceeded, Refused::Anonymous, Refused::StoreFailed] {
        let response = scene.answer(&refused);
        assert!(!format!("{response:?}").contains("sk-very-secret"));
        assert!(!text(response).contains("sk-very-secret"));
    }
}
