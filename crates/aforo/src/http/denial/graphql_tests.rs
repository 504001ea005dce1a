//! Answers to GraphQL clients.

use aforo_core::{Outcome, Verdict};
use serde_json::{Value, json};

use super::super::test_outcomes::*;
use super::answer_tests::{Scene, header, text};
use super::*;

fn document(response: Response<AnswerBody>) -> Value {
    let mut document: Value = serde_json::from_str(&text(response)).unwrap();
    let extensions = document["errors"][0]["extensions"].as_object_mut();
    let id = extensions.unwrap().remove("decisionId");
    assert_eq!(id.unwrap().as_str().unwrap().len(), 16);
    document
}

#[test]
fn a_denial_says_what_was_asked_for_and_what_is_left() {
    let quota = bucket(60, seconds(60), Some(10));
    let mut scene = Scene::of(&[violated(
        "points",
        &quota,
        denied(&quota, 3, seconds(4), seconds(1)),
    )]);
    scene.operations = Some(7);
    let response = scene.exceeded();
    assert_eq!(response.status(), 429);
    assert_eq!(header(&response, "content-type"), Some("application/json"));
    assert_eq!(header(&response, "retry-after"), Some("4"));
    assert_eq!(
        document(response),
        json!({ "errors": [{
            "message": "The quota of policy points is exceeded. Try again in 4 seconds.",
            "extensions": {
                "code": "THROTTLED",
                "cost": {
                    "requestedQueryCost": 7,
                    "actualQueryCost": null,
                    "throttleStatus": { "maximumAvailable": 10, "currentlyAvailable": 3 },
                },
                "retryAfter": 4,
            },
        }] })
    );
}

#[test]
fn an_impossible_cost_has_the_code_for_it_and_the_media_type_that_was_asked_for() {
    let quota = bucket(60, seconds(60), Some(10));
    let outcome = Outcome {
        verdict: Verdict::Impossible,
        ..allowed(&quota, 10, seconds(0), seconds(0))
    };
    let mut scene = Scene::of(&[violated("points", &quota, outcome)]).sending(
        "accept",
        "application/graphql-response+json; charset=utf-8, application/json",
    );
    scene.operations = Some(21);
    let response = scene.answer(&Refused::Impossible);
    assert_eq!(response.status(), 422);
    let media_type = Some("application/graphql-response+json");
    assert_eq!(header(&response, "content-type"), media_type);
    let error = &document(response)["errors"][0];
    assert_eq!(error["extensions"]["code"], "MAX_COST_EXCEEDED");
    assert_eq!(error["extensions"]["cost"]["requestedQueryCost"], 21);
}

#[cfg(feature = "graphql")]
#[test]
fn faults_are_told_with_their_numbers_and_places() {
    use aforo_policy::Refusal;
    use aforo_policy::graphql::Fault;

    let scene = Scene::of(&[]);
    let told = |fault: Fault, status: u16| {
        let refusal = Refusal::GraphQl(fault);
        let response = scene.answer(&Refused::Refusal(&refusal));
        assert_eq!(response.status().as_u16(), status);
        document(response)["errors"][0].clone()
    };
    assert_eq!(
        told(Fault::MaxCost { cost: 21, most: 10 }, 422),
        json!({
            "message": "The request costs 21 units, more than the 10 that one may cost.",
            "extensions": {
                "code": "MAX_COST_EXCEEDED",
                "cost": { "requestedQueryCost": 21, "actualQueryCost": null, "maximumQueryCost": 10 },
            },
        })
    );
    assert_eq!(
        told(Fault::MaxDepth { depth: 9, most: 5 }, 422)["extensions"],
        json!({ "code": "MAX_DEPTH_EXCEEDED", "depth": { "requested": 9, "maximum": 5 } })
    );
    let syntax = Fault::Syntax {
        message: "Expected a name".to_owned(),
        line: 2,
        column: 8,
    };
    assert_eq!(
        told(syntax, 400),
        json!({
            "message": "Expected a name.",
            "locations": [{ "line": 2, "column": 8 }],
            "extensions": { "code": "GRAPHQL_PARSE_FAILED" },
        })
    );
}
