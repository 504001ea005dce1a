use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn policy(told: Option<u64>) -> Policy<'static> {
    Policy {
        policy: "a \"b\"",
        allowed: false,
        shadow: true,
        disclosed: false,
        cost: 3,
        taken: 2,
        limit: told,
        remaining: told,
        reset: told,
        retry_after: told,
    }
}

fn answer<'a>(headers: &'a [(HeaderName, HeaderValue)], told: Option<u64>) -> Answer<'a> {
    let text = told.map(|_| "t\n");
    Answer {
        allowed: true,
        status: 429,
        headers: Fields(headers),
        body: text,
        delay_ms: told,
        retry_after: told,
        policies: vec![policy(told), policy(None)],
        consumer: text,
        plan: text,
        decision_id: DecisionId::next(),
        receipt: text,
    }
}

fn written(value: &impl Json) -> String {
    let mut out = Vec::new();
    value.write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn an_answer_with_all_it_may_say() {
    let field = |name, value| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    let headers = [
        field("ratelimit", "\"a\";r=1"),
        field("www-authenticate", "Basic"),
        field("www-authenticate", "Bearer"),
    ];
    let answer = answer(&headers, Some(7));
    let id = answer.decision_id.to_string();
    assert_eq!(
        written(&answer).replace(&id, "ID"),
        concat!(
            r#"{"allowed":true,"status":429,"#,
            r#""headers":{"ratelimit":"\"a\";r=1","www-authenticate":"Basic, Bearer"},"#,
            r#""body":"t\n","delay_ms":7,"retry_after":7,"policies":["#,
            r#"{"policy":"a \"b\"","allowed":false,"shadow":true,"disclosed":false,"cost":3,"#,
            r#""taken":2,"limit":7,"remaining":7,"reset":7,"retry_after":7},"#,
            r#"{"policy":"a \"b\"","allowed":false,"shadow":true,"disclosed":false,"cost":3,"#,
            r#""taken":2}],"consumer":"t\n","plan":"t\n","decision_id":"ID","receipt":"t\n"}"#,
        )
    );
}

#[test]
fn what_is_absent_is_not_written() {
    let answer = answer(&[], None);
    let id = answer.decision_id.to_string();
    let text = written(&answer);
    assert!(text.starts_with(r#"{"allowed":true,"status":429,"headers":{},"policies":[{"#));
    assert!(
        text.ends_with(&format!(r#"],"decision_id":"{id}"}}"#)),
        "{text}"
    );
    let many = written(&Decisions {
        decisions: vec![answer],
    });
    assert_eq!(many, format!(r#"{{"decisions":[{text}]}}"#));
    assert_eq!(
        written(&Refunded { refunded: true }),
        r#"{"refunded":true}"#
    );
}

#[test]
fn members_are_those_of_the_description() {
    let described = |schema: schemars::Schema| -> BTreeSet<String> {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.unwrap().keys().cloned().collect()
    };
    let members = |value: &Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let told: Value = serde_json::from_str(&written(&answer(&[], Some(1)))).unwrap();
    assert_eq!(members(&told), described(schemars::schema_for!(Answer<'_>)));
    let policies = &told["policies"];
    assert_eq!(
        members(&policies[0]),
        described(schemars::schema_for!(Policy<'_>))
    );
}
