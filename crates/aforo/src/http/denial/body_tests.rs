//! The other bodies: classic and templates.

use ::http::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, ORIGIN};
use aforo_policy::Cors;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::test_outcomes::*;
use super::answer_tests::{Scene, header, text};
use super::*;

#[test]
fn the_classic_body_has_its_four_members() {
    let quota = fixed(5, seconds(60));
    let mut scene = Scene::of(&[violated(
        "p",
        &quota,
        denied(&quota, 0, seconds(9), seconds(9)),
    )]);
    scene.responses.body = Body::Classic;
    scene.responses.documentation_url = Some("https://example.com/docs".to_owned());
    let response = scene.exceeded();
    assert_eq!(header(&response, "content-type"), Some("application/json"));
    let document: Value = serde_json::from_str(&text(response)).unwrap();
    assert_eq!(
        document,
        json!({"error": {
            "code": "RATE_LIMIT_EXCEEDED",
            "message": "The quota of policy p is exceeded. Try again in 9 seconds.",
            "retryAfter": 9,
            "documentationUrl": "https://example.com/docs",
        }})
    );
}

fn templated(template: &str, plan: &str) -> (String, String) {
    let quota = fixed(5, seconds(60));
    let mut scene = Scene::of(&[violated(
        "p",
        &quota,
        denied(&quota, 0, seconds(9), seconds(9)),
    )]);
    scene.plan = Some(plan);
    scene.responses.body = Body::Template(template.to_owned());
    let response = scene.exceeded();
    let media_type = header(&response, "content-type").unwrap().to_owned();
    (media_type, text(response))
}

#[test]
fn a_template_is_filled_and_escaped_for_what_it_is() {
    let (media_type, body) = templated(
        r#"{"wait": {retry_after}, "plan": "{plan}", "x": {"y": "{unknown} {"}, "doc": "{documentation_url}"}"#,
        "a\"b\\c\n",
    );
    assert_eq!(media_type, "application/json");
    let document: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        document,
        json!({"wait": 9, "plan": "a\"b\\c\n", "x": {"y": "{unknown} {"}, "doc": ""})
    );
    assert_eq!(
        templated("<p>{plan} {policies} {limit}</p>", "<script>&\"'"),
        (
            "text/html; charset=utf-8".to_owned(),
            "<p>&lt;script&gt;&amp;&quot;&#39; p 5</p>".to_owned()
        )
    );
    assert_eq!(
        templated("{status} for {plan}", "<pro>"),
        (
            "text/plain; charset=utf-8".to_owned(),
            "429 for <pro>".to_owned()
        ),
        "a placeholder's brace is not JSON's"
    );
    assert_eq!(
        templated("Code {status}: wait {retry_after} s, {{plan}", "pro\""),
        (
            "text/plain; charset=utf-8".to_owned(),
            "Code 429: wait 9 s, {pro\"".to_owned()
        )
    );
}

#[test]
fn a_number_that_is_not_known_is_null_in_json() {
    let mut scene = Scene::of(&[blocked("closed")]);
    scene.responses.body = Body::Template("{\"wait\": {retry_after}}".to_owned());
    assert_eq!(text(scene.exceeded()), "{\"wait\": null}");
}

proptest! {
    #[test]
    fn no_request_and_no_template_make_an_answer_panic(
        language in proptest::collection::vec(any::<u8>(), 0..40),
        media_type in proptest::collection::vec(any::<u8>(), 0..40),
        origin in proptest::collection::vec(any::<u8>(), 0..40),
        template in "[{}<\\[a-z_ \"\u{e9}]{0,60}",
        wait in any::<u64>(),
    ) {
        let quota = fixed(5, seconds(60));
        let wait = aforo_core::Span::from_micros(wait);
        let mut scene = Scene::of(&[violated("p", &quota, denied(&quota, 0, wait, wait))]);
        for (name, value) in [
            (ACCEPT_LANGUAGE, &language),
            (CONTENT_TYPE, &media_type),
            (ORIGIN, &origin),
        ] {
            if let Ok(value) = HeaderValue::from_bytes(value) {
                scene.request.insert(name, value);
            }
        }
        scene.cors = Some(Cors { allow_origins: vec!["*".to_owned()] });
        let retry: u64 = header(&scene.exceeded(), "retry-after").unwrap().parse().unwrap();
        prop_assert!(u128::from(retry) * 1_000_000 >= u128::from(wait.as_micros()));
        scene.responses.body = Body::Template(template);
        let _body = text(scene.exceeded());
    }
}
