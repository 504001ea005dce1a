//! Envoy's rate limit service: what descriptors count.

use crate::grpc_client::{
    Client, RateLimitDescriptor, RateLimitOverride, RateLimitRequest, Unit, descriptor, header,
    request, taking,
};
use crate::support::Program;

const OK: i32 = 1;
const OVER: i32 = 2;

/// A service with these tables, whose windows do not end while a test runs.
fn service(tables: &str) -> Program {
    Program::with_file(&format!("[decide]\ngrpc = \"127.0.0.1:0\"\n{tables}"))
}

fn table(entries: &str, policies: &str) -> String {
    format!("[[descriptors]]\ndomain = \"d\"\nentries = [{entries}]\npolicies = [{policies}]\n")
}

/// 3 units of each value of `a`, and of `b`.
fn three() -> Program {
    let quota = "{ quota = \"3/day burst 3\" }";
    service(&(table("{ key = \"a\" }", quota) + &table("{ key = \"b\" }", quota)))
}

#[tokio::test]
async fn rlx_20_units_of_request_and_descriptor() {
    let program = three();
    let mut client = Client::of(&program).await;
    let a = || descriptor(&[("a", "1")]);
    // Absent and 0 in the request are 1.
    for left in [2, 1] {
        let answer = client.ask(request("d", vec![a()])).await.unwrap();
        assert_eq!(answer.overall_code, OK);
        assert_eq!(answer.statuses[0].limit_remaining, left);
    }
    // 0 in a descriptor looks, however often.
    for _ in 0..5 {
        let answer = client
            .ask(request("d", vec![taking(&[("a", "1")], 0)]))
            .await
            .unwrap();
        assert_eq!(
            (answer.overall_code, answer.statuses[0].limit_remaining),
            (OK, 1)
        );
    }
    assert_eq!(client.codes(request("d", vec![a()])).await, (OK, vec![OK]));
    // 3 of 3 are taken: whoever looks sees 0, and is not over the limit by looking.
    let answer = client
        .ask(request("d", vec![taking(&[("a", "1")], 0)]))
        .await
        .unwrap();
    assert_eq!(
        (answer.overall_code, answer.statuses[0].limit_remaining),
        (OK, 0)
    );
    assert_eq!(
        client.codes(request("d", vec![a()])).await,
        (OVER, vec![OVER])
    );

    // Each descriptor takes its own: 2 of A, 1 of B.
    let mixed = vec![taking(&[("a", "2")], 2), descriptor(&[("b", "2")])];
    let answer = client.ask(request("d", mixed)).await.unwrap();
    let left: Vec<u32> = answer
        .statuses
        .iter()
        .map(|one| one.limit_remaining)
        .collect();
    assert_eq!(left, [1, 2]);
    // The request's units are for those that have none.
    let of_request = RateLimitRequest {
        hits_addend: 2,
        ..request(
            "d",
            vec![taking(&[("a", "2")], 1), descriptor(&[("b", "2")])],
        )
    };
    let answer = client.ask(of_request).await.unwrap();
    let left: Vec<u32> = answer
        .statuses
        .iter()
        .map(|one| one.limit_remaining)
        .collect();
    assert_eq!(left, [0, 0]);
    // Negative ones would give back what others took.
    let back = RateLimitDescriptor {
        is_negative_hits: true,
        ..taking(&[("a", "2")], 2)
    };
    let answer = client.ask(request("d", vec![back])).await.unwrap();
    assert_eq!(answer.statuses[0].limit_remaining, 0);
}

#[tokio::test]
async fn rl_21_descriptors_are_taken_all_or_none() {
    let program = service(
        &(table(
            "{ key = \"user\" }",
            "{ name = \"user\", quota = \"1/day burst 1\" }",
        ) + &table(
            "{ key = \"site\" }",
            "{ name = \"site\", quota = \"100/day burst 100\" }",
        )),
    );
    let mut client = Client::of(&program).await;
    let both = || {
        request(
            "d",
            vec![descriptor(&[("user", "u")]), descriptor(&[("site", "s")])],
        )
    };
    assert_eq!(client.codes(both()).await, (OK, vec![OK, OK]));
    for _ in 0..10 {
        let answer = client.ask(both()).await.unwrap();
        let codes: Vec<i32> = answer.statuses.iter().map(|one| one.code).collect();
        assert_eq!((answer.overall_code, codes), (OVER, vec![OVER, OK]));
        assert_eq!(
            answer.statuses[1].limit_remaining, 99,
            "a denial takes nothing"
        );
    }
}

#[tokio::test]
async fn the_same_descriptor_twice_is_added_up() {
    let program = three();
    let mut client = Client::of(&program).await;
    let a = || descriptor(&[("a", "1")]);
    let answer = client.ask(request("d", vec![a(), a()])).await.unwrap();
    let left: Vec<u32> = answer
        .statuses
        .iter()
        .map(|one| one.limit_remaining)
        .collect();
    assert_eq!(left, [1, 1]);
    assert_eq!(client.codes(request("d", vec![a(), a()])).await.0, OVER);
    assert_eq!(client.codes(request("d", vec![a()])).await.0, OK);
}

#[tokio::test]
async fn the_most_specific_table_counts() {
    let program = service(
        &(table(
            "{ key = \"path\" }",
            "{ name = \"any\", quota = \"1/day burst 1\" }",
        ) + &table(
            "{ key = \"path\", value = \"/api*\" }",
            "{ name = \"api\", quota = \"2/day burst 2\" }",
        ) + &table("{ key = \"path\", value = \"/api/status\" }", "")
            + &table(
                "{ key = \"path\", value = \"/no\" }",
                "{ name = \"no\", quota = \"0/day\" }",
            )
            + &table(
                "{ key = \"path\", value = \"/api*\" }, { key = \"user\" }",
                "{ name = \"of-user\", quota = \"3/day burst 3\", partition_by = [\"descriptor:user\"] }",
            )),
    );
    let mut client = Client::of(&program).await;
    let mut passes = async |entries: &[(&str, &str)]| {
        let mut passed = 0;
        while passed < 5
            && client
                .codes(request("d", vec![descriptor(entries)]))
                .await
                .0
                == OK
        {
            passed += 1;
        }
        passed
    };
    assert_eq!(passes(&[("path", "/")]).await, 1);
    assert_eq!(passes(&[("path", "/a")]).await, 1, "each value by itself");
    assert_eq!(passes(&[("path", "/api/x")]).await, 2);
    assert_eq!(passes(&[("path", "/api/status")]).await, 5, "exempt");
    assert_eq!(passes(&[("path", "/no")]).await, 0, "blocked");
    assert_eq!(passes(&[("path", "/api/x"), ("user", "u")]).await, 3);
    assert_eq!(
        passes(&[("path", "/api/y"), ("user", "u")]).await,
        0,
        "by user alone"
    );
    assert_eq!(passes(&[("path", "/"), ("user", "u")]).await, 5, "no table");
    assert_eq!(passes(&[("user", "u")]).await, 5, "no table");
}

#[tokio::test]
async fn a_response_says_where_a_caller_stands() {
    let program = service(&table(
        "{ key = \"user\" }",
        "{ name = \"hourly\", quota = \"2/hour fixed-window\" }",
    ));
    let mut client = Client::of(&program).await;
    let ask = || {
        request(
            "d",
            vec![descriptor(&[("user", "u")]), descriptor(&[("x", "y")])],
        )
    };
    let answer = client.ask(ask()).await.unwrap();
    assert_eq!(answer.statuses.len(), 2);
    let status = &answer.statuses[0];
    let limit = status.current_limit.clone().unwrap();
    assert_eq!(
        (limit.requests_per_unit, limit.unit, limit.name.as_str()),
        (2, Unit::Hour.into(), "hourly")
    );
    assert_eq!(status.limit_remaining, 1);
    let reset = status.duration_until_reset.unwrap().seconds;
    assert!((1..=3600).contains(&reset), "{reset}");
    assert_eq!(answer.statuses[1].code, OK);
    assert!(answer.statuses[1].current_limit.is_none());
    assert_eq!(header(&answer, "x-ratelimit-limit"), Some("2"));
    assert_eq!(header(&answer, "x-ratelimit-remaining"), Some("1"));
    assert_eq!(
        header(&answer, "ratelimit-policy"),
        Some("\"hourly\";q=2;w=3600")
    );
    assert_eq!(header(&answer, "retry-after"), None);
    assert!(answer.raw_body.is_empty());
    let metadata = answer.dynamic_metadata.unwrap();
    assert_eq!(metadata.fields[0].key, "policy");
    let text = format!("{:?}", metadata.fields);
    assert!(
        text.contains("hourly") && text.contains("partition"),
        "{text}"
    );

    client.ask(ask()).await.unwrap();
    let denied = client.ask(ask()).await.unwrap();
    assert_eq!(denied.overall_code, OVER);
    assert_eq!(denied.statuses[0].limit_remaining, 0);
    let wait = denied.statuses[0].duration_until_reset.unwrap().seconds;
    let after = header(&denied, "retry-after")
        .unwrap()
        .parse::<i64>()
        .unwrap();
    assert!((wait - after).abs() <= 1, "{wait} {after}");
    assert_eq!(
        header(&denied, "content-type"),
        Some("application/problem+json")
    );
    let body: serde_json::Value = serde_json::from_slice(&denied.raw_body).unwrap();
    assert_eq!(body["status"], 429);
    assert_eq!(body["violated-policies"][0], "hourly");
}

#[tokio::test]
async fn what_is_not_disclosed_is_not_told() {
    let program = service(&table(
        "{ key = \"user\" }",
        "{ name = \"secret\", quota = \"1/day burst 1\", disclose = \"retry\" }",
    ));
    let mut client = Client::of(&program).await;
    for code in [OK, OVER] {
        let answer = client
            .ask(request("d", vec![descriptor(&[("user", "u")])]))
            .await
            .unwrap();
        assert_eq!(answer.overall_code, code);
        assert!(answer.statuses[0].current_limit.is_none());
        assert_eq!(header(&answer, "x-ratelimit-limit"), None);
        assert!(!String::from_utf8_lossy(&answer.raw_body).contains("secret"));
    }
}

#[tokio::test]
async fn a_cost_above_the_capacity_is_denied_not_an_error() {
    let program = three();
    let mut client = Client::of(&program).await;
    // An error would let it pass where Envoy goes on without an answer.
    let answer = client
        .ask(request("d", vec![taking(&[("a", "1")], 4)]))
        .await
        .unwrap();
    assert_eq!(answer.overall_code, OVER);
    assert_eq!(header(&answer, "retry-after"), None);
    let body: serde_json::Value = serde_json::from_slice(&answer.raw_body).unwrap();
    assert_eq!(body["status"], 422);
    assert_eq!(
        client
            .codes(request("d", vec![taking(&[("a", "1")], 3)]))
            .await
            .0,
        OK
    );
}

#[tokio::test]
async fn a_quota_that_comes_with_a_descriptor_replaces_the_files() {
    let program = three();
    let mut client = Client::of(&program).await;
    let limited = |domain: &str, amount, unit: Unit| {
        let limit = RateLimitOverride {
            requests_per_unit: amount,
            unit: unit.into(),
        };
        let one = RateLimitDescriptor {
            limit: Some(limit),
            ..descriptor(&[("a", "1")])
        };
        request(domain, vec![one])
    };
    for left in (0..5).rev() {
        let answer = client.ask(limited("d", 5, Unit::Year)).await.unwrap();
        assert_eq!(
            (answer.overall_code, answer.statuses[0].limit_remaining),
            (OK, left)
        );
        let limit = answer.statuses[0].current_limit.clone().unwrap();
        assert_eq!(
            (limit.requests_per_unit, limit.unit),
            (5, Unit::Year.into())
        );
    }
    assert_eq!(client.codes(limited("d", 5, Unit::Year)).await.0, OVER);
    assert_eq!(client.codes(limited("d", 0, Unit::Day)).await.0, OVER);
    // The file's own is untouched, and without a domain there is none.
    assert_eq!(
        client
            .codes(request("d", vec![descriptor(&[("a", "1")])]))
            .await
            .0,
        OK
    );
    assert_eq!(client.codes(limited("unknown", 1, Unit::Day)).await.0, OK);
    assert_eq!(client.codes(limited("unknown", 1, Unit::Day)).await.0, OK);
    let error = client
        .ask(limited("d", 1, Unit::Unknown))
        .await
        .unwrap_err();
    assert_eq!(error.code(), tonic::Code::InvalidArgument);
}

#[tokio::test]
async fn rl_07_an_address_counts_by_its_prefix() {
    let program = service(&table("{ key = \"remote_address\" }", "\"1/day burst 1\""));
    let mut client = Client::of(&program).await;
    let mut from = async |address: &str| {
        let descriptor = descriptor(&[("remote_address", address)]);
        client.codes(request("d", vec![descriptor])).await.0
    };
    assert_eq!(from("2001:db8::1").await, OK);
    assert_eq!(from("2001:db8::ffff:2").await, OVER);
    assert_eq!(from("2001:db8:0:1::1").await, OK);
    assert_eq!(from("192.0.2.1").await, OK);
    assert_eq!(from("192.0.2.2").await, OK);
    assert_eq!(from("::ffff:192.0.2.2").await, OVER);
}

#[tokio::test]
async fn shadow_policies_deny_nobody() {
    let program = service(&table(
        "{ key = \"a\" }",
        "{ name = \"s\", quota = \"1/day burst 1\", action = \"shadow\" }",
    ));
    let mut client = Client::of(&program).await;
    for _ in 0..3 {
        assert_eq!(
            client
                .codes(request("d", vec![descriptor(&[("a", "1")])]))
                .await,
            (OK, vec![OK])
        );
    }
}
