//! Descriptors of a domain that the file does not have are read as what a request says.

use crate::grpc_client::{Client, RateLimitRequest, descriptor, header, request};
use crate::support::Program;

const OK: i32 = 1;
const OVER: i32 = 2;

const FILE: &str = r#"
[decide]
grpc = "127.0.0.1:0"

[identity]
api_key = { header = "x-api-key" }
default_plan = "paying"

[plans.anonymous]
policies = ["2/day burst 2"]

[plans.paying]
policies = ["10/day burst 10"]

[[routes]]
match = "POST /orders"
cost = 5

[[consumers]]
id = "acme"
plan = "paying"
api_key_sha256 = ["2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"]
"#;

#[tokio::test]
async fn routes_and_plans_apply() {
    let program = Program::with_file(FILE);
    let mut client = Client::of(&program).await;
    let ask = |entries: &[(&str, &str)]| request("any", vec![descriptor(entries)]);
    let anonymous = [("remote_address", "192.0.2.1"), ("path", "/")];
    for left in ["1", "0"] {
        let answer = client.ask(ask(&anonymous)).await.unwrap();
        assert_eq!(answer.overall_code, OK);
        assert_eq!(header(&answer, "x-ratelimit-remaining"), Some(left));
    }
    assert_eq!(client.codes(ask(&anonymous)).await, (OVER, vec![OVER]));
    // The key is a header like any other; two descriptors tell of one request.
    let order = || {
        let who = descriptor(&[("remote_address", "192.0.2.1"), ("x-api-key", "key")]);
        let what = descriptor(&[("method", "POST"), ("path", "/orders?x=1")]);
        request("any", vec![who, what])
    };
    for left in [5, 0] {
        let answer = client.ask(order()).await.unwrap();
        assert_eq!(answer.overall_code, OK, "{:?}", answer.raw_body);
        let rest: Vec<u32> = answer
            .statuses
            .iter()
            .map(|one| one.limit_remaining)
            .collect();
        assert_eq!(rest, [left, left]);
    }
    assert_eq!(client.codes(order()).await, (OVER, vec![OVER, OVER]));
}

#[tokio::test]
async fn units_stand_for_as_many_requests() {
    let program = Program::with_file(FILE);
    let mut client = Client::of(&program).await;
    let two = |address: &str| RateLimitRequest {
        hits_addend: 2,
        ..request("any", vec![descriptor(&[("remote_address", address)])])
    };
    assert_eq!(client.codes(two("192.0.2.1")).await.0, OK);
    assert_eq!(client.codes(two("192.0.2.1")).await.0, OVER);
}

#[tokio::test]
async fn what_tells_of_no_request_is_said() {
    let program = Program::with_file(FILE);
    let mut client = Client::of(&program).await;
    let code = tonic::Code::InvalidArgument;
    let nobody = request("any", vec![descriptor(&[("path", "/")])]);
    assert_eq!(client.ask(nobody).await.unwrap_err().code(), code);
    let two = descriptor(&[
        ("remote_address", "192.0.2.1"),
        ("path", "/a"),
        ("path", "/b"),
    ]);
    assert_eq!(
        client
            .ask(request("any", vec![two]))
            .await
            .unwrap_err()
            .code(),
        code
    );
    // What a caller can write is denied, since an error may let it pass.
    for path in ["/a%2fb", "/\u{7f}"] {
        let odd = descriptor(&[("remote_address", "192.0.2.1"), ("path", path)]);
        assert_eq!(
            client.codes(request("any", vec![odd])).await.0,
            OVER,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_file_without_plans_counts_nothing_and_says_so() {
    let program = Program::with_file("[decide]\ngrpc = \"127.0.0.1:0\"\n");
    let mut client = Client::of(&program).await;
    for _ in 0..3 {
        let ask = request("typo", vec![descriptor(&[("a", "b")])]);
        assert_eq!(client.codes(ask).await, (OK, vec![OK]));
    }
    let told = || {
        program
            .log()
            .matches("[[descriptors]] has this domain")
            .count()
    };
    aforo_servers::until("the log", || told() > 0);
    assert_eq!(told(), 1);
}
