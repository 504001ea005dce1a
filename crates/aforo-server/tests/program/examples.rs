//! The files in `examples/` behave as their comments promise.

use std::path::PathBuf;

use crate::support::{Program, RawClient, RawResponse, Verdict};

fn folder() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples").into()
}

/// Runs an example on a free port.
fn example(name: &str) -> Program {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    let listen = "listen = \"127.0.0.1:8080\"";
    assert!(text.contains(listen), "{name}");
    Program::with_file(&text.replace(listen, "listen = \"127.0.0.1:0\""))
}

/// What is left of how much.
fn standing(response: &RawResponse) -> (u16, Option<&str>, Option<&str>) {
    let limit = response.field("x-ratelimit-limit");
    let remaining = response.field("x-ratelimit-remaining");
    (response.status, limit, remaining)
}

fn post(client: &mut RawClient, target: &str, fields: &str, body: &str) -> RawResponse {
    let length = body.len();
    client.send(format!(
        "POST {target} HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n{fields}\r\n{body}"
    ));
    client.response()
}

#[test]
fn every_example_is_valid_and_starts() {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let check = Verdict::of(&["check", path.to_str().unwrap()]);
            assert!(check.code < 2, "{}: {}", path.display(), check.stdout);
            drop(example(path.file_name().unwrap().to_str().unwrap()));
            seen += 1;
        }
    }
    assert!(seen >= 4);
}

#[test]
fn quickstart_keeps_its_promises() {
    let program = example("quickstart.toml");
    let mut client = program.client();
    for left in ["2", "1", "0"] {
        let response = client.get("/hello");
        assert_eq!(standing(&response), (200, Some("3"), Some(left)));
    }
    let denied = client.get("/hello");
    assert_eq!(denied.status, 429);
    let wait: u32 = denied.field("retry-after").unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait), "{wait}");
}

#[test]
fn saas_tiers_keeps_its_promises() {
    let program = example("saas-tiers.toml");
    let mut client = program.client();
    let with = |key: &str| format!("x-api-key: demo-{key}-key\r\n");
    let tiers = [
        ("free", "10", "9"),
        ("starter", "50", "49"),
        ("pro", "200", "199"),
        ("enterprise", "2000", "1999"),
        ("launch", "400", "399"),
    ];
    for (key, limit, left) in tiers {
        let response = client.ask("GET", "/v1/items", &with(key));
        assert_eq!(standing(&response), (200, Some(limit), Some(left)), "{key}");
    }
    let export = post(&mut client, "/v1/exports", &with("pro"), "");
    assert_eq!(export.status, 200);
    let left: u32 = export
        .field("x-ratelimit-remaining")
        .unwrap()
        .parse()
        .unwrap();
    assert!((179..199).contains(&left), "20 units instead of 1: {left}");

    let report = "/v1/reports/2026";
    assert_eq!(client.ask("GET", report, &with("free")).status, 403);
    assert_eq!(client.ask("GET", report, &with("pro")).status, 200);

    let anonymous = client.get("/v1/items");
    assert_eq!(standing(&anonymous), (200, Some("30"), Some("29")));
    for left in (0..29).rev() {
        let wrong = client.ask("GET", "/v1/items", &with("wrong"));
        assert_eq!(
            wrong.field("x-ratelimit-remaining"),
            Some(&*left.to_string())
        );
    }
    let denied = client.ask("GET", "/v1/items", &with("wrong"));
    assert_eq!(denied.status, 429);
    assert_eq!(denied.json()["credential"], "unrecognised");

    for _ in 0..3 {
        let health = client.get("/healthz");
        assert_eq!(standing(&health), (200, None, None));
    }
}

#[test]
fn login_keeps_its_promises() {
    let program = example("login.toml");
    let mut client = program.client();
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let json = "content-type: application/json\r\n";
    let text = "content-type: text/plain\r\n";
    let login =
        |client: &mut RawClient, fields: &str, body: &str| post(client, "/login", fields, body);
    assert_eq!(login(&mut client, form, "password=x").status, 400);
    assert_eq!(login(&mut client, text, "ann").status, 415);
    let large = format!("email={}", "a".repeat(20_000));
    assert_eq!(login(&mut client, form, &large).status, 413);
    let mut client = program.client();
    for _ in 0..10 {
        let body = "email=ann@example.org&password=x";
        assert_eq!(login(&mut client, form, body).status, 200);
        let body = r#"{"email": " Ann@Example.org "}"#;
        assert_eq!(login(&mut client, json, body).status, 200);
    }
    let denied = login(&mut client, form, "email=ann@example.org");
    assert_eq!(denied.status, 429);
    assert!(denied.field("retry-after").is_some());
    let told = denied.head.clone() + &String::from_utf8_lossy(&denied.body);
    assert!(!told.contains("login-address"), "{told}");
    let other = program.client_from("127.0.0.2").get("/");
    assert_eq!(standing(&other), (200, Some("60"), Some("59")));
}

#[test]
fn cost_keeps_its_promises() {
    let program = example("cost.toml");
    let mut client = program.client();
    let left = |response: RawResponse| {
        assert_eq!(response.field("x-ratelimit-limit"), Some("1000"));
        let left = response.field("x-ratelimit-remaining").unwrap();
        (response.status, left.parse::<u64>().unwrap())
    };
    let json = "content-type: application/json\r\n";
    let bulk = |client: &mut RawClient, body: &str| post(client, "/orders/bulk", json, body);
    assert_eq!(left(client.get("/customers/7")), (200, 999));
    assert_eq!(left(client.ask("PUT", "/customers/7", "")), (200, 994));
    let three = r#"{"orders": [{"id": 1}, {"id": 2}, {"id": 3}]}"#;
    assert_eq!(left(bulk(&mut client, three)), (200, 988));
    assert_eq!(left(client.get("/items?limit=50")), (200, 938));
    assert_eq!(left(client.get("/reports/2026")), (200, 918));
    assert_eq!(left(client.get("/items")), (200, 898));
    for (at, limit) in (1..).zip(["5000", "all", "-1"]) {
        let response = client.get(&format!("/items?limit={limit}"));
        assert_eq!(left(response), (200, 898 - at * 100), "{limit}");
    }
    let many = format!(r#"{{"orders": [{}0]}}"#, "0,".repeat(10_000));
    assert_eq!(bulk(&mut client, &many).status, 422);
    assert_eq!(bulk(&mut client, "orders=1").status, 415);
    let twice = r#"{"orders": [1], "orders": [1, 2]}"#;
    assert_eq!(bulk(&mut client, twice).status, 400);
    assert_eq!(left(client.get("/customers/7")), (200, 597));
}

#[test]
fn platform_keeps_its_promises() {
    let program = example("platform.toml");
    let mut client = program.client();
    let get = |client: &mut RawClient, service: &str| {
        let service = format!("x-service-id: {service}\r\n");
        client.ask("GET", "/v1/documents", &service)
    };
    let first = get(&mut client, "search-api");
    assert_eq!(standing(&first), (200, Some("5"), Some("4")));
    let same_pool = get(&mut client, "search-indexer");
    assert_eq!(standing(&same_pool), (200, Some("5"), Some("3")));
    for _ in 0..3 {
        assert_eq!(get(&mut client, "search-api").status, 200);
    }
    let denied = get(&mut client, "search-indexer");
    assert_eq!(denied.status, 429);
    let wait: u32 = denied.field("retry-after").unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait), "{wait}");
    let violated = denied.json()["violated-policies"].to_string();
    assert!(violated.contains("team-search-minute"), "{violated}");

    for service in ["checkout", "newcomer"] {
        let response = get(&mut client, service);
        assert_eq!(
            response.field("x-ratelimit-remaining"),
            Some("19"),
            "{service}"
        );
    }
    assert_eq!(client.get("/v1/documents").status, 401);
    let reindex = |client: &mut RawClient, service: &str| {
        post(
            client,
            "/v1/reindex",
            &format!("x-service-id: {service}\r\n"),
            "",
        )
    };
    assert_eq!(reindex(&mut client, "checkout").status, 200);
    assert_eq!(reindex(&mut client, "newcomer").status, 429);
}
