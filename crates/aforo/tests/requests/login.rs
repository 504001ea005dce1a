//! Policies that count by the body and by the result: a login.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Bench, bench, get, post_json, with};
use aforo::Admission;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};

const LOGIN: &str = r#"
    [plans.anonymous]
    policies = ["1000/minute"]
    [policies.login-address]
    quota = "20/15min fixed-window"
    partition_by = ["client_ip"]
    disclose = "retry"
    count = "failures"
    [policies.login-account]
    quota = "5/15min fixed-window"
    partition_by = ["body:/email | form:email"]
    normalize = ["trim", "lowercase", "nfc"]
    when_missing = "deny"
    count = "failures"
    [[routes]]
    match = ["POST /login", "POST /reset"]
    policies = ["@login-address", "@login-account"]
"#;

fn login(email: &str) -> Request<Full<Bytes>> {
    let body = serde_json::json!({ "email": email, "password": "x" }).to_string();
    post_json("/login", body)
}

fn answered(status: u16) -> impl FnOnce(&Request<()>) -> Response<()> {
    move |_| Response::builder().status(status).body(()).unwrap()
}

async fn attempt(bench: &Bench, peer: &str, email: &str, status: u16) -> u16 {
    let answer = answered(status);
    bench.send_answered(peer, login(email), answer).await.code()
}

#[tokio::test]
async fn wrong_guesses_are_counted_per_account_and_address() {
    let bench = bench(LOGIN);
    for _ in 0..5 {
        assert_eq!(
            attempt(&bench, "192.0.2.1", "ana@example.org", 401).await,
            401
        );
    }
    // The account is closed from everywhere, also by /reset, and for its owner.
    assert_eq!(
        attempt(&bench, "192.0.2.1", "ana@example.org", 401).await,
        429
    );
    assert_eq!(
        attempt(&bench, "198.51.100.9", "ana@example.org", 200).await,
        429
    );
    // The address goes on with others until its own twenty are gone.
    for guess in 0..15 {
        let email = format!("user-{guess}@example.org");
        assert_eq!(attempt(&bench, "192.0.2.1", &email, 401).await, 401);
    }
    assert_eq!(
        attempt(&bench, "192.0.2.1", "user-x@example.org", 401).await,
        429
    );
    // What the address was denied cost the account nothing.
    for _ in 0..5 {
        assert_eq!(
            attempt(&bench, "198.51.100.9", "user-x@example.org", 401).await,
            401
        );
    }
}

#[tokio::test]
async fn good_logins_cost_nothing() {
    let bench = bench(LOGIN);
    for _ in 0..50 {
        assert_eq!(
            attempt(&bench, "192.0.2.1", "ana@example.org", 200).await,
            200
        );
    }
    // A server's failure is nobody's wrong guess either.
    for _ in 0..50 {
        assert_eq!(
            attempt(&bench, "192.0.2.1", "ana@example.org", 503).await,
            503
        );
    }
    for _ in 0..5 {
        assert_eq!(
            attempt(&bench, "192.0.2.1", "ana@example.org", 422).await,
            422
        );
    }
    assert_eq!(
        attempt(&bench, "192.0.2.1", "ana@example.org", 200).await,
        429
    );
}

#[tokio::test]
async fn what_a_good_login_gave_back_is_shown_as_given_back() {
    let bench = bench(&LOGIN.replace("1000/minute", "@login-account"));
    let seen = bench
        .send_answered("192.0.2.1", login("ana@example.org"), answered(200))
        .await;
    assert_eq!(seen.remaining(), Some(5));
    let seen = bench
        .send_answered("192.0.2.1", login("ana@example.org"), answered(401))
        .await;
    assert_eq!(seen.remaining(), Some(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_parallel_wrong_guesses_do_not_slip_through() {
    let bench = std::sync::Arc::new(bench(LOGIN));
    let forwarded = std::sync::Arc::new(AtomicUsize::new(0));
    let barrier = std::sync::Arc::new(tokio::sync::Barrier::new(100));
    let mut guesses = tokio::task::JoinSet::new();
    for guess in 0..100 {
        let (bench, forwarded) = (bench.clone(), forwarded.clone());
        let barrier = barrier.clone();
        guesses.spawn(async move {
            let peer = format!("192.0.2.{guess}").parse().unwrap();
            let peer = std::net::SocketAddr::new(peer, 1);
            let admission = bench
                .limiter
                .admit(login("ana@example.org"), Some(peer))
                .await;
            // Nobody is answered before all have asked.
            barrier.wait().await;
            if let Admission::Pass(_, mut passage) = admission {
                forwarded.fetch_add(1, Ordering::Relaxed);
                passage.forwarded();
                let (mut parts, ()) = answered(401)(&Request::new(())).into_parts();
                passage.finish(&mut parts).await;
            }
        });
    }
    while guesses.join_next().await.is_some() {}
    assert_eq!(forwarded.load(Ordering::Relaxed), 5);
}

#[tokio::test]
async fn a_guess_that_was_abandoned_after_forwarding_stays_counted() {
    let bench = bench(LOGIN);
    let peer = "192.0.2.1:9".parse().ok();
    for forwarded in [false, true] {
        for _ in 0..5 {
            let admission = bench.limiter.admit(login("ana@example.org"), peer).await;
            let Admission::Pass(_, mut passage) = admission else {
                panic!("denied");
            };
            if forwarded {
                passage.forwarded();
            }
        }
    }
    assert_eq!(
        attempt(&bench, "192.0.2.1", "ana@example.org", 200).await,
        429
    );
}

/// Three guesses per account, every attempt counted.
const NORMALISED: &str = r#"
    [plans.anonymous]
    policies = []
    [policies.account]
    quota = "3/5min fixed-window"
    partition_by = ["body:/email"]
    normalize = ["trim", "lowercase", "nfc"]
    when_missing = "deny"
    [[routes]]
    match = "POST /login"
    policies = ["@account"]
"#;

#[tokio::test]
async fn rl_26_spellings_of_an_account_share_its_bucket() {
    let bench = bench(NORMALISED);
    let spellings = [
        "victim@example.org",
        "Victim@Example.org",
        " victim@example.org",
        "victim@example.org\t",
        "VICTIM@EXAMPLE.ORG",
    ];
    let mut statuses = Vec::new();
    for spelling in spellings {
        statuses.push(bench.send("192.0.2.1", login(spelling)).await.code());
    }
    assert_eq!(statuses, [200, 200, 200, 429, 429]);

    let mut statuses = Vec::new();
    for spelling in ["vi\u{301}ctim@example.org", "v\u{ed}ctim@example.org"].repeat(2) {
        statuses.push(bench.send("192.0.2.1", login(spelling)).await.code());
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
}

#[tokio::test]
async fn rl_26_invalid_utf_8_is_refused_and_takes_nothing() {
    let bench = bench(NORMALISED);
    let broken = b"{\"email\":\"\xff\xfe@example.org\"}".to_vec();
    for _ in 0..5 {
        let seen = bench
            .send("192.0.2.1", post_json("/login", broken.clone()))
            .await;
        assert_eq!(seen.code(), 415);
    }
    assert_eq!(
        bench
            .send("192.0.2.1", login("ana@example.org"))
            .await
            .remaining(),
        Some(2)
    );
}

#[tokio::test]
async fn bodies_that_cannot_be_counted_by_are_refused() {
    let bench = bench(NORMALISED);
    let status = async |request| bench.send("192.0.2.1", request).await.code();
    assert_eq!(status(post_json("/login", "{}")).await, 400);
    assert_eq!(
        status(post_json("/login", r#"{"email":"a","email":"b"}"#)).await,
        400
    );
    assert_eq!(status(post_json("/login", "{\"email\":")).await, 415);
    let mut text = post_json("/login", "email=a");
    text.headers_mut()
        .insert("content-type", "text/plain".parse().unwrap());
    assert_eq!(status(text).await, 415);
    let large = format!(r#"{{"email":"a","pad":"{}"}}"#, "x".repeat(70_000));
    assert_eq!(status(post_json("/login", large)).await, 413);
}

#[tokio::test]
async fn a_body_goes_on_byte_for_byte() {
    let bench = bench(NORMALISED);
    let body = "{ \"email\" :\n\"Ana@example.org\" }\n";
    let seen = bench.send("192.0.2.1", post_json("/login", body)).await;
    assert_eq!(seen.received.as_deref(), Some(body.as_bytes()));
}

/// A body that says whether it was asked for.
struct Watched(std::sync::Arc<AtomicUsize>);

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        let asked = self.0.fetch_add(1, Ordering::Relaxed);
        let body = Bytes::from_static(b"{\"email\":\"ana@example.org\"}");
        std::task::Poll::Ready((asked == 0).then(|| Ok(http_body::Frame::data(body))))
    }
}

#[tokio::test]
async fn with_expect_a_full_caller_is_told_before_it_sends() {
    let bench =
        bench(&NORMALISED.replace("policies = []", "policies = [\"1/minute fixed-window\"]"));
    assert_eq!(bench.status("192.0.2.1", "/").await, 200);
    let peer = "192.0.2.1:9".parse().ok();
    let other = "192.0.2.2:9".parse().ok();
    let asked = std::sync::Arc::new(AtomicUsize::new(0));
    let request = || {
        Request::post("/login")
            .header("content-type", "application/json")
            .header("expect", "100-continue")
            .body(Watched(asked.clone()))
            .unwrap()
    };
    let Admission::Answer(answer) = bench.limiter.admit(request(), peer).await else {
        panic!("admitted");
    };
    assert_eq!(answer.status(), 429);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    // Looking took nothing, and who is not full is asked for its body.
    let Admission::Pass(request, _) = bench.limiter.admit(request(), other).await else {
        panic!("denied");
    };
    assert!(asked.load(Ordering::Relaxed) > 0);
    let body = request.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "{\"email\":\"ana@example.org\"}");
}

#[tokio::test]
async fn trailers_go_on_after_a_body_that_was_read() {
    let bench = bench(NORMALISED);
    let body = post_json("/login", r#"{"email":"ana@example.org"}"#);
    let (parts, body) = body.into_parts();
    let mut trailers = http::HeaderMap::new();
    trailers.insert("x-checksum", "17".parse().unwrap());
    let body = body.with_trailers(std::future::ready(Some(Ok(trailers))));
    let request = Request::from_parts(parts, body);
    let Admission::Pass(request, _) = bench
        .limiter
        .admit(request, "192.0.2.1:9".parse().ok())
        .await
    else {
        panic!("denied");
    };
    let collected = request.into_body().collect().await.unwrap();
    assert_eq!(collected.trailers().unwrap()["x-checksum"], "17");
}

#[tokio::test]
async fn a_body_is_left_alone_when_nobody_counts_by_it() {
    let bench = bench(NORMALISED);
    let large = "x".repeat(1_000_000);
    let seen = bench
        .send("192.0.2.1", post_json("/upload", large.clone()))
        .await;
    assert_eq!(seen.received.map(|body| body.len()), Some(large.len()));
    let seen = bench
        .send("192.0.2.1", with(get("/"), "expect", "100-continue"))
        .await;
    assert_eq!(seen.code(), 200);
}
