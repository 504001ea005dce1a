//! Paths are matched, counted and forwarded in one spelling.

use crate::support::{Program, Upstream};

fn gateway(upstream: &Upstream, gateway: &str, rest: &str) -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n{gateway}\n\n{rest}\n",
        upstream.address()
    ))
}

const LOGIN: &str = r#"
[plans.anonymous]
policies = ["1000/hour"]
[[routes]]
match = "POST /api/login"
policies = [{ quota = "2/hour fixed-window", partition_by = ["client_ip"] }]
"#;

#[test]
fn rl_08_other_spellings_of_a_path_are_the_same_path() {
    for forward in ["", "forward_path = \"raw\""] {
        let upstream = Upstream::new();
        let program = gateway(&upstream, forward, LOGIN);
        let mut client = program.client();
        let mut post = |target: &str| client.ask("POST", target, "content-length: 0\r\n").status;
        assert_eq!([post("/api/login"), post("/api/login")], [200, 200]);
        for target in [
            "//api/login",
            "/api//login",
            "/./api/login",
            "/x/../api/login",
            "/api/login?a=1",
            "/api/%6Cogin",
            "/api;v=1/login",
        ] {
            assert_eq!(post(target), 429, "{target}");
        }
        let targets: Vec<_> = upstream
            .seen()
            .into_iter()
            .map(|seen| seen.target)
            .collect();
        assert_eq!(targets, ["/api/login", "/api/login"]);
    }
}

#[test]
fn the_path_is_forwarded_in_its_one_spelling_unless_it_is_to_stay_raw() {
    let plan = "[plans.anonymous]\npolicies = [\"1000/hour\"]";
    let asked = "/a/./b//../c%7Ed?q=%7E";
    let upstream = Upstream::new();
    gateway(&upstream, "", plan).client().get(asked);
    gateway(&upstream, "forward_path = \"raw\"", plan)
        .client()
        .get(asked);
    let targets: Vec<_> = upstream
        .seen()
        .into_iter()
        .map(|seen| seen.target)
        .collect();
    assert_eq!(targets, ["/a/c~d?q=%7E", asked]);
}

#[test]
fn a_path_with_an_encoded_slash_is_refused() {
    let upstream = Upstream::new();
    let program = gateway(&upstream, "", LOGIN);
    for target in ["/api%2Flogin", "/api%5clogin", "/a%00b"] {
        assert_eq!(program.client().get(target).status, 400, "{target}");
    }
    assert!(upstream.seen().is_empty());
}

#[test]
fn rl_37_health_probes_pass_while_their_caller_is_full() {
    let upstream = Upstream::new();
    let rest = r#"
        [plans.anonymous]
        policies = ["3/hour fixed-window"]
        [[routes]]
        match = "/healthz"
        exempt = true
        [[routes]]
        match = "/grpc.health.v1.Health/Check"
        exempt = true
    "#;
    let program = gateway(&upstream, "", rest);
    let mut client = program.client();
    let statuses = [(); 4].map(|()| client.get("/api").status);
    assert_eq!(statuses, [200, 200, 200, 429]);
    for _ in 0..10 {
        assert_eq!(client.get("/healthz").status, 200);
        let grpc = "content-type: application/grpc\r\ncontent-length: 0\r\n";
        let probe = client.ask("POST", "/grpc.health.v1.Health/Check", grpc);
        assert_eq!(probe.status, 200);
    }
    assert_eq!(client.get("/healthz/../api").status, 429, "that is /api");
    assert_eq!(client.get("/healthz%2f..").status, 400);
}

#[test]
fn rl_17_preflights_are_free_and_a_page_can_read_its_429() {
    let upstream = Upstream::new();
    let cors = "cors = { allow_origins = [\"https://app.example\"] }";
    let plan = "[plans.anonymous]\npolicies = [\"3/hour fixed-window\"]";
    let program = gateway(&upstream, cors, plan);
    let mut client = program.client();
    let origin = "origin: https://app.example\r\n";
    let preflight = format!("{origin}access-control-request-method: GET\r\n");
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let preflight = client.ask("OPTIONS", "/", &preflight);
        assert!(preflight.status < 300, "{}", preflight.head);
        statuses.push(client.ask("GET", "/", origin).status);
    }
    assert_eq!(statuses, [200, 200, 200]);
    let plain = client.ask("OPTIONS", "/", "");
    assert_eq!(
        plain.status, 429,
        "OPTIONS by itself is no preflight and counts"
    );

    let denied = client.ask("GET", "/", origin);
    assert_eq!(denied.status, 429);
    let allowed = denied.field("access-control-allow-origin");
    assert_eq!(allowed, Some("https://app.example"));
    let exposed = denied
        .fields("access-control-expose-headers")
        .join(",")
        .to_lowercase();
    assert!(exposed.contains("retry-after"), "{exposed}");
    assert_eq!(client.ask("OPTIONS", "/", &preflight).status, 200);
}

#[test]
fn rlx_26_what_does_not_exist_is_limited_too() {
    let upstream = Upstream::answering(|_| {
        use http_body_util::{BodyExt, Full};
        let body = Full::from("no such thing").boxed();
        http::Response::builder().status(404).body(body).unwrap()
    });
    let plan = "[plans.anonymous]\npolicies = [\"2/hour fixed-window\"]";
    let program = gateway(&upstream, "", plan);
    let mut client = program.client();
    let answers = [(); 5].map(|()| client.get("/nope"));
    let statuses = answers.each_ref().map(|answer| answer.status);
    assert_eq!(statuses, [404, 404, 429, 429, 429]);
    assert_eq!(answers[0].field("x-ratelimit-remaining"), Some("1"));
}
