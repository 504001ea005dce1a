//! How often a decision asks the allocator.
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use aforo::policy::Settings;
use aforo::{Admission, Limiter, Place, ProcessEnvironment};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;

/// The output of a future that waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("memory answers at once"),
    }
}

fn limiter(policies: &str) -> Limiter {
    let text = format!(
        "[plans.anonymous]\npolicies = [{policies}]\n[policies.named]\nquota = \"1000000/hour\"\n"
    );
    let settings = match Settings::parse("test.toml", &text, &ProcessEnvironment) {
        Ok(settings) => settings,
        Err(error) => panic!("{error}"),
    };
    Limiter::builder()
        .settings(settings)
        .place(Place::Gateway)
        .build()
        .unwrap()
}

fn request() -> Request<Full<Bytes>> {
    Request::get("/orders/17")
        .header("host", "api.example")
        .header("user-agent", "test")
        .body(Full::default())
        .unwrap()
}

#[test]
fn a_hot_decision_by_name_allocates_nothing() {
    let limiter = limiter("");
    limiter.check_now("named", "acme").unwrap();
    let measured = allocation_counter::measure(|| {
        for _ in 0..100 {
            assert!(limiter.check_now("named", "acme").unwrap().is_allowed());
        }
    });
    assert_eq!(measured.count_total, 0);
}

#[test]
fn a_whole_admission_allocates_its_passage_and_nothing_else() {
    let peer: Option<SocketAddr> = "192.0.2.1:50000".parse().ok();
    for policies in [
        "\"1000000/hour\"",
        "\"1000000/hour\", \"1000000/minute\", \"1000000/day\"",
    ] {
        let limiter = limiter(policies);
        now(limiter.admit(request(), peer));
        let request = request();
        let mut admission = None;
        let measured = allocation_counter::measure(|| {
            admission = Some(now(limiter.admit(request, peer)));
        });
        println!(
            "admit with {policies}: {} allocations",
            measured.count_total
        );
        assert_eq!(measured.count_total, 1, "{policies}");
        assert!(matches!(admission, Some(Admission::Pass(..))));
    }
}

#[test]
fn what_an_application_and_the_fields_add_is_known() {
    let text = "[plans.anonymous]\npolicies = [\"1000000/hour\"]\n";
    let settings = Settings::parse("test.toml", text, &ProcessEnvironment).unwrap();
    let limiter = Limiter::from_settings(settings).unwrap();
    let peer: Option<SocketAddr> = "192.0.2.1:50000".parse().ok();
    // The first response of a policy writes what is the same on all that follow.
    if let Admission::Pass(_, passage) = now(limiter.admit(request(), peer)) {
        now(passage.finish(&mut Response::new(()).into_parts().0));
    }
    let request = request();
    let mut admission = None;
    // The handler's Standing among the extensions is the layer's, and comes on top there.
    let measured = allocation_counter::measure(|| {
        admission = Some(now(limiter.admit(request, peer)));
    });
    println!(
        "admit in an application: {} allocations",
        measured.count_total
    );
    assert_eq!(measured.count_total, 1, "the passage");
    let Some(Admission::Pass(_, mut passage)) = admission else {
        panic!("denied");
    };
    let (mut parts, ()) = Response::new(()).into_parts();
    let measured = allocation_counter::measure(|| {
        passage.forwarded();
        now(passage.finish(&mut parts));
    });
    println!(
        "both families of fields: {} allocations",
        measured.count_total
    );
    // The three values that are other ones on every response; both tables of the header map.
    assert_eq!(measured.count_total, 5);
}
