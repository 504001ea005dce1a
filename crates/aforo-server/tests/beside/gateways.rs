//! Other gateways that ask `/forward-auth`.

use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};

use crate::scene::{Scene, installed, is_whole, runs, wait};
use crate::support::Upstream;

/// What the tests that wait make of the example's quota, and what comes back when.
const QUICK: (&str, Duration) = ("30/minute burst 3", Duration::from_secs(2));

fn nginx(scene: &mut Scene) {
    runs("nginx", "-v");
    let file = scene.file("nginx.conf").display().to_string();
    let folder = scene.folder().display().to_string();
    let global = "daemon off; pid nginx.pid; error_log stderr;";
    scene.start("nginx", &["-p", &folder, "-c", &file, "-g", global]);
}

fn traefik(scene: &mut Scene) {
    let program = installed("traefik");
    scene.file("routes.yaml");
    let file = scene.file("traefik.yaml").display().to_string();
    scene.start(&program, &[&format!("--configFile={file}")]);
    // It listens before it has read its routes, and asks Aforo only afterwards.
    aforo_servers::until("its routes", || {
        scene.get("x-api-key: demo-key\r\n").status == 200
    });
}

fn caddy(scene: &mut Scene) {
    let program = installed("caddy");
    let file = scene.file("Caddyfile").display().to_string();
    scene.start(
        &program,
        &["run", "--adapter", "caddyfile", "--config", &file],
    );
}

fn haproxy(scene: &mut Scene) {
    runs("haproxy", "-v");
    scene.file("aforo.lua");
    let file = scene.file("haproxy.cfg").display().to_string();
    scene.start("haproxy", &["-db", "-f", &file]);
}

/// Whether responses that pass tell where their caller stands.
#[derive(PartialEq, Eq)]
enum Passing {
    Tells,
    IsSilent,
}

/// Three pass, the next is denied as a whole, who waits passes, a consumer has its own quota, and
/// after Aforo's death a request gets `after`.
fn keeps_its_callers_within_limits(
    example: &str,
    start: fn(&mut Scene),
    passing: &Passing,
    after: u16,
) {
    let (quota, refill) = QUICK;
    let mut scene = Scene::of(example, quota);
    start(&mut scene);
    let (passed, denied) = scene.until_denied(refill);
    is_whole(&denied);
    assert_eq!(passed.body, b"hello");
    match passing {
        Passing::Tells => {
            assert!(
                passed
                    .field("ratelimit")
                    .unwrap()
                    .starts_with("\"anonymous-")
            );
            assert_eq!(passed.field("x-ratelimit-limit"), Some("3"));
        }
        Passing::IsSilent => assert_eq!(passed.field("ratelimit"), None),
    }
    wait(&denied);
    assert_eq!(scene.get("").status, 200);
    let consumer = scene.get("x-api-key: demo-key\r\n");
    assert_eq!(consumer.status, 200, "{}", consumer.head);
    // The address of the client is the gateway's to tell.
    scene.empty();
    let forged = scene.get("x-forwarded-for: 192.0.2.1\r\nx-real-ip: 192.0.2.1\r\n");
    assert_eq!(forged.status, 429, "{}", forged.head);
    scene.kill_aforo();
    let response = scene.get("");
    assert_eq!(response.status, after, "{}", response.head);
}

#[test]
fn nginx_keeps_its_callers_within_limits() {
    keeps_its_callers_within_limits("nginx", nginx, &Passing::Tells, 200);
}

#[test]
fn traefik_keeps_its_callers_within_limits() {
    keeps_its_callers_within_limits("traefik", traefik, &Passing::IsSilent, 500);
}

#[test]
fn caddy_keeps_its_callers_within_limits() {
    keeps_its_callers_within_limits("caddy", caddy, &Passing::Tells, 502);
}

#[test]
fn haproxy_keeps_its_callers_within_limits() {
    keeps_its_callers_within_limits("haproxy", haproxy, &Passing::Tells, 200);
}

#[test]
fn traefik_gives_the_application_the_fields() {
    let mut scene = Scene::of("traefik", "3/minute burst 3");
    traefik(&mut scene);
    assert_eq!(scene.get("").status, 200);
    let seen = scene.upstream.seen();
    let field = seen.last().unwrap().headers["ratelimit"].to_str().unwrap();
    assert!(field.starts_with("\"anonymous-minute\";r=2"), "{field}");
}

#[test]
fn what_the_application_forbids_stays_forbidden() {
    for (example, start) in [
        ("nginx", nginx as fn(&mut Scene)),
        ("caddy", caddy),
        ("haproxy", haproxy),
        ("traefik", traefik),
    ] {
        let forbidding = Upstream::answering(|seen| {
            let mut response = Response::new(Full::<Bytes>::from("no entry").boxed());
            if !seen.headers.contains_key("x-api-key") {
                *response.status_mut() = StatusCode::FORBIDDEN;
            }
            response
        });
        let mut scene = Scene::before(example, "3/minute burst 3", forbidding);
        start(&mut scene);
        let response = scene.get("");
        assert_eq!(response.status, 403, "{example}: {}", response.head);
        assert_eq!(response.body, b"no entry", "{example}");
        assert_eq!(response.field("retry-after"), None, "{example}");
    }
}
