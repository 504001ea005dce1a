//! Known devices: a login that a stranger cannot lock.

use crate::support::{Bench, bench, post_json, settings, with};
use aforo::{BuildError, Limiter};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;

const SECRET: &str = "0123456789abcdef0123456789abcdef\n";

/// A file with a secret, for as long as the machine keeps it.
fn secret_file(name: &str, secret: &str) -> String {
    let path = std::env::temp_dir().join(format!("aforo-{}-{name}", std::process::id()));
    std::fs::write(&path, secret).unwrap();
    path.to_str().unwrap().to_owned()
}

fn text(secret: &str) -> String {
    format!(
        r#"
        [plans.anonymous]
        policies = []
        [policies.address]
        quota = "20/15min fixed-window"
        partition_by = ["client_ip"]
        normalize = ["trim", "lowercase", "nfc"]
        count = "failures"
        exempt_cookie = {{ name = "device", secret = {{ file = "{secret}" }}, account = ["body:/email"] }}
        [policies.account]
        quota = "5/15min fixed-window"
        partition_by = ["body:/email"]
        normalize = ["trim", "lowercase", "nfc"]
        when_missing = "deny"
        count = "failures"
        exempt_cookie = {{ name = "device", secret = {{ file = "{secret}" }} }}
        [[routes]]
        match = "POST /login"
        policies = ["@address", "@account"]
    "#
    )
}

fn login(email: &str) -> Request<Full<Bytes>> {
    post_json("/login", serde_json::json!({ "email": email }).to_string())
}

async fn tried(bench: &Bench, peer: &str, request: Request<Full<Bytes>>, status: u16) -> u16 {
    let answer = |_: &Request<()>| Response::builder().status(status).body(()).unwrap();
    bench.send_answered(peer, request, answer).await.code()
}

/// The cookie that a good login sets, as the browser sends it.
async fn cookie(bench: &Bench, peer: &str, email: &str) -> String {
    let seen = bench.send(peer, login(email)).await;
    let set = seen.field("set-cookie").unwrap();
    let (cookie, attributes) = set.split_once("; ").unwrap();
    assert_eq!(
        attributes,
        "Max-Age=7776000; Path=/; HttpOnly; Secure; SameSite=Lax"
    );
    cookie.to_owned()
}

#[tokio::test]
async fn a_known_device_gets_in_while_the_account_is_attacked() {
    let bench = bench(&text(&secret_file("known", SECRET)));
    let (home, attacker) = ("192.0.2.1", "198.51.100.9");
    let device = cookie(&bench, home, "ana@example.org").await;
    for _ in 0..5 {
        assert_eq!(
            tried(&bench, attacker, login("ana@example.org"), 401).await,
            401
        );
    }
    // Unknown devices are locked out, wherever they are.
    for peer in [home, attacker] {
        assert_eq!(
            tried(&bench, peer, login("ana@example.org"), 200).await,
            429
        );
    }
    let from_device = |email: &str| with(login(email), "cookie", &device);
    for email in ["ana@example.org", " ANA@Example.org"] {
        assert_eq!(tried(&bench, home, from_device(email), 200).await, 200);
    }
    // The device itself may guess five times, too, and no more.
    for _ in 0..5 {
        assert_eq!(
            tried(&bench, home, from_device("ana@example.org"), 401).await,
            401
        );
    }
    assert_eq!(
        tried(&bench, home, from_device("ana@example.org"), 401).await,
        429
    );
    // It opens no other account.
    for _ in 0..5 {
        assert_eq!(
            tried(&bench, attacker, login("bob@example.org"), 401).await,
            401
        );
    }
    assert_eq!(
        tried(&bench, home, from_device("bob@example.org"), 200).await,
        429
    );
}

#[tokio::test]
async fn a_known_device_gets_in_from_an_address_that_is_used_up() {
    let bench = bench(&text(&secret_file("address", SECRET)));
    let office = "192.0.2.1";
    let device = cookie(&bench, office, "ana@example.org").await;
    for user in 0..20 {
        let request = login(&format!("user-{user}@example.org"));
        assert_eq!(tried(&bench, office, request, 401).await, 401);
    }
    assert_eq!(
        tried(&bench, office, login("ana@example.org"), 200).await,
        429
    );
    let known = with(login("ana@example.org"), "cookie", &device);
    assert_eq!(tried(&bench, office, known, 200).await, 200);
}

#[tokio::test]
async fn a_failed_login_marks_no_device_and_an_old_cookie_ends() {
    let bench = bench(&text(&secret_file("ends", SECRET)));
    let home = "192.0.2.1";
    for status in [401, 403, 404, 500] {
        let answer = |_: &Request<()>| Response::builder().status(status).body(()).unwrap();
        let seen = bench
            .send_answered(home, login("ana@example.org"), answer)
            .await;
        assert_eq!(seen.field("set-cookie"), None, "{status}");
    }
    let device = cookie(&bench, home, "ana@example.org").await;
    let known = || with(login("ana@example.org"), "cookie", &device);
    for (second, code) in [(7_775_999, 200), (7_776_000, 429)] {
        bench.at(second * 1_000);
        for _ in 0..5 {
            tried(&bench, "198.51.100.9", login("ana@example.org"), 401).await;
        }
        assert_eq!(tried(&bench, home, known(), 200).await, code, "{second}");
    }
}

#[tokio::test]
async fn an_application_makes_the_same_cookie() {
    let bench = bench(&text(&secret_file("made", SECRET)));
    let made = bench
        .limiter
        .device_cookie("account", &["Ana@example.org "]);
    let set = bench.send("192.0.2.1", login("ana@example.org")).await;
    assert_eq!(made.as_deref(), set.field("set-cookie"));
    assert_eq!(bench.limiter.device_cookie("nothing", &["a"]), None);
}

#[test]
fn a_secret_that_is_missing_or_short_stops_the_start() {
    let build = |secret: &str| Limiter::from_settings(settings(&text(secret))).err();
    let missing = build("/nowhere/at/all").unwrap();
    assert!(matches!(missing, BuildError::SecretMissing { .. }));
    let told = missing.to_string();
    assert!(
        told.contains("/nowhere/at/all") && told.contains("openssl rand -hex 32"),
        "{told}"
    );
    let short = build(&secret_file("short", "hunter2")).unwrap();
    assert!(matches!(short, BuildError::SecretTooShort { .. }));
    assert!(!short.to_string().contains("hunter2"), "{short}");
}
