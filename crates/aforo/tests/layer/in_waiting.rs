//! The layer before a store that has to be waited for.

use std::net::SocketAddr;
use std::sync::Arc;

use aforo::store::MemoryStore;
use aforo::{Limiter, PeerAddress};
use axum::Router;
use axum::body::Body;
use axum::routing::get;
use http::{Request, StatusCode};
use tower::ServiceExt;

use crate::frail::Frail;

fn app() -> Router {
    let text = r#"
        [plans.anonymous]
        policies = ["@wrong"]
        [policies.wrong]
        quota = "2/hour fixed-window"
        count = "failures"
    "#;
    let clock = aforo::ManualClock::at(aforo::core::Timestamp::from_seconds(crate::support::START));
    let store = Frail {
        inner: MemoryStore::builder().clock(clock.clone()).build(),
        down: Arc::default(),
    };
    let limiter = Limiter::builder()
        .settings(crate::support::settings(text))
        .clock(clock)
        .store("default", Arc::new(store))
        .build()
        .unwrap();
    Router::new()
        .route("/right", get(|| async { "welcome" }))
        .route("/wrong", get(|| async { StatusCode::UNAUTHORIZED }))
        .route("/slow", get(std::future::pending::<()>))
        .layer(limiter.layer())
}

fn request(path: &str) -> Request<Body> {
    let mut request = Request::get(path).body(Body::empty()).unwrap();
    let peer: SocketAddr = "192.0.2.1:1".parse().unwrap();
    request.extensions_mut().insert(PeerAddress(peer));
    request
}

#[tokio::test]
async fn a_waiting_store_is_settled_with_before_the_answer_goes_out() {
    let app = app();
    for _ in 0..5 {
        let response = app.clone().oneshot(request("/right")).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["x-ratelimit-remaining"], "2");
    }
    for remaining in ["1", "0"] {
        let response = app.clone().oneshot(request("/wrong")).await.unwrap();
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
        assert_eq!(response.headers()["x-ratelimit-remaining"], remaining);
    }
    let response = app.oneshot(request("/right")).await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_abandoned_in_its_handler_stays_counted() {
    let app = app();
    let second = std::time::Duration::from_secs(1);
    for _ in 0..2 {
        let slow = app.clone().oneshot(request("/slow"));
        assert!(tokio::time::timeout(second, slow).await.is_err());
    }
    let response = app.oneshot(request("/right")).await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
}
