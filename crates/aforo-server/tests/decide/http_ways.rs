//! A question is answered the same whichever way it goes: by the bytes that came, or by hyper.

use http::Request;
use http_body_util::Full;
use serde_json::json;

use crate::http::{http, post};
use crate::support::{Http2Client, RawClient, RawResponse};

/// A field that only hyper answers.
const BY_HYPER: &str = "connection: keep-alive, x\r\n";

const LOOK: &str = r#"{"policy":"mails","partition":"ana"}"#;

fn question(target: &str, body: &str) -> String {
    format!(
        "POST {target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Everything but the decision's name and the date, which are always others; field lines sorted.
fn told(response: &RawResponse) -> (Vec<String>, String) {
    let lines = response.head.lines().filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines
        .filter(|line| !line.starts_with("date: "))
        .map(str::to_owned)
        .collect();
    lines.sort_unstable();
    let body = String::from_utf8(response.body.clone()).unwrap();
    let name = response.json()["decision_id"].clone();
    (
        lines,
        name.as_str()
            .map_or(body.clone(), |name| body.replace(name, "NAME")),
    )
}

#[test]
fn both_ways_answer_the_same() {
    let program = http();
    post(&mut program.client_of("http"), "/v1/decide", "", LOOK);
    for body in [
        LOOK,
        r#"{"policy":"mails","partition":["ana","b"],"cost":3}"#,
        r#"{"policy":"mails","cost":4}"#,
        r#"{"policies":[{"policy":"mails","partition":"ana"},{"policy":"files"}]}"#,
        r#"{"request":{"path":"/","address":"192.0.2.7"}}"#,
        r#"{"request":{"path":"/","address":"192.0.2.7","consumer":{"id":"a","plan":"pro"}}}"#,
        r#"{"policy":"none"}"#,
        r#"{"policy":"#,
        r#"{"request":{"path":"/"}}"#,
    ] {
        let ask = |fields| post(&mut program.client_of("http"), "/v1/peek", fields, body);
        // A second may pass between two of them, not before both.
        let [before, long, after] = ["", BY_HYPER, ""].map(ask);
        let short = [&before, &after].map(told);
        assert!(
            short.contains(&told(&long)),
            "{body}: {long:?}, not {short:?}"
        );
        for response in [&before, &long] {
            let date = response.field("date").unwrap();
            assert_eq!((date.len(), &date[25..]), (29, " GMT"), "{date}");
        }
    }
}

#[test]
fn both_ways_take_from_the_same_bucket() {
    let program = http();
    let left = ["", BY_HYPER, "", BY_HYPER].map(|fields| {
        let answer = post(&mut program.client_of("http"), "/v1/decide", fields, LOOK);
        let told = answer.json();
        (
            told["allowed"].clone(),
            told["policies"][0]["remaining"].clone(),
        )
    });
    let expected = [(true, 2), (true, 1), (true, 0), (false, 0)];
    assert_eq!(
        left,
        expected.map(|(passed, left)| (json!(passed), json!(left)))
    );
}

#[test]
fn a_question_without_the_address_it_needs_is_put_once() {
    let program = http();
    let body = r#"{"request":{"path":"/"}}"#;
    for fields in ["", BY_HYPER] {
        let answer = post(&mut program.client_of("http"), "/v1/decide", fields, body);
        assert_eq!(answer.status, 400);
    }
    let log = program.whole_log();
    let said = log.matches("nobody said who the peer is");
    assert_eq!(said.count(), 2, "{log}");
}

#[test]
fn whoever_may_not_ask_is_told_so_either_way() {
    let program = http();
    let elsewhere = question("/v1/peek", LOOK).replace("localhost", "page.example");
    let form = question("/v1/peek", LOOK).replace("application/json", "text/plain");
    let nowhere = question("/v1/nowhere", LOOK);
    for (sent, status) in [(elsewhere, 421), (form, 415), (nowhere, 404)] {
        let long = sent.replacen("\r\n", &format!("\r\n{BY_HYPER}"), 1);
        for sent in [sent, long] {
            let response = program.client_of("http").send(&sent).response();
            assert_eq!(response.status, status, "{sent}");
        }
    }
}

#[test]
fn a_question_may_come_in_any_pieces() {
    let program = http();
    let sent = question("/v1/peek", LOOK);
    for pieces in [1, 2, 3, sent.len()] {
        let mut client = program.client_of("http");
        for piece in sent.as_bytes().chunks(sent.len().div_ceil(pieces)) {
            client.send(piece);
            client.hears_nothing_for(std::time::Duration::from_millis(1));
        }
        assert_eq!(client.response().json()["allowed"], true, "{pieces}");
    }
}

#[test]
fn questions_in_one_piece_are_answered_in_their_order() {
    let program = http();
    let mut client = program.client_of("http");
    let costs = (1..=300).map(|cost| format!(r#"{{"policy":"mails","cost":{cost}}}"#));
    let sent: String = costs.map(|body| question("/v1/peek", &body)).collect();
    client.send(sent);
    for cost in 1..=300 {
        assert_eq!(client.response().json()["policies"][0]["cost"], cost);
    }
}

#[test]
fn a_connection_may_ask_anything_between_its_questions() {
    let program = http();
    let mut client = program.client_of("http");
    let health = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let (take, wrong) = (question("/v1/decide", LOOK), question("/v1/decide", "{"));
    client.send([&take, health, &take, &wrong, &take, &take[..40]].concat());
    // The beginning of the next holds none of them back.
    let statuses: Vec<u16> = (0..5).map(|_| client.response().status).collect();
    assert_eq!(statuses, [200, 200, 200, 400, 200]);
    client.send(&take[40..]);
    assert_eq!(
        client.response().json()["allowed"],
        false,
        "three are taken"
    );
}

#[test]
fn whoever_sends_no_more_still_hears_the_answer() {
    let program = http();
    let mut client: RawClient = program.client_of("http");
    client.send(question("/v1/peek", LOOK)).finish();
    assert_eq!(client.response().status, 200);
    assert!(client.has_ended());
}

#[tokio::test]
async fn http_2_is_asked_by_prior_knowledge() {
    let program = http();
    let address = program.service("http");
    let client = Http2Client::connect(address).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        let request = Request::post(format!("http://{address}/v1/decide"))
            .header("content-type", "application/json")
            .body(Full::from(LOOK))
            .unwrap();
        let response = client.clone().send(request).await;
        assert_eq!(response.status(), 200);
        let told: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        answers.push(told["allowed"].as_bool());
    }
    assert_eq!(answers, [Some(true), Some(true), Some(true), Some(false)]);
}
