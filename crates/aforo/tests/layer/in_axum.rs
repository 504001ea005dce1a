//! The layer in axum, over real sockets.

use std::net::SocketAddr;

use aforo::{Limiter, SettledCost, Standing};
use axum::Router;
use axum::body::Body;
use axum::extract::Extension;
use axum::routing::{get, post};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tower::ServiceExt;

/// A server on a port of its own.
struct Served {
    base: String,
    client: Client<HttpConnector, Full<bytes::Bytes>>,
}

impl Served {
    async fn of(app: Router) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let service = app.into_make_service_with_connect_info::<SocketAddr>();
            axum::serve(listener, service).await.unwrap();
        });
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { base, client }
    }

    async fn get(&self, path: &str) -> Response<String> {
        let request = Request::get(format!("{}{path}", self.base));
        self.send(request.body(Full::default()).unwrap()).await
    }

    async fn send(&self, request: Request<Full<bytes::Bytes>>) -> Response<String> {
        let response = self.client.request(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Response::from_parts(parts, String::from_utf8(body.to_vec()).unwrap())
    }
}

async fn hello() -> &'static str {
    "hello"
}

#[tokio::test]
async fn a_first_limit() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["2/hour"])
        .build()
        .unwrap();
    let app = Router::new().route("/", get(hello)).layer(limiter.layer());
    let served = Served::of(app).await;
    let first = served.get("/").await;
    assert_eq!(
        (first.status(), first.body().as_str()),
        (StatusCode::OK, "hello")
    );
    assert_eq!(first.headers()["x-ratelimit-remaining"], "1");
    assert_eq!(served.get("/").await.status(), StatusCode::OK);
    let denied = served.get("/").await;
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(denied.headers()["content-type"], "application/problem+json");
    assert!(denied.headers().contains_key("retry-after"));
}

#[tokio::test]
async fn the_router_says_which_route_it_is() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["1000/hour"])
        .route("/users/{id}", ["2/hour"])
        .build()
        .unwrap();
    let api = Router::new().route("/users/{id}", get(hello));
    let app = Router::new()
        .merge(api)
        .route("/other", get(hello))
        .layer(limiter.layer());
    let served = Served::of(app).await;
    let mut statuses = Vec::new();
    for id in 1..=3 {
        statuses.push(served.get(&format!("/users/{id}")).await.status().as_u16());
    }
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(served.get("/other").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_nested_router_is_matched_by_its_whole_path() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["1000/hour"])
        .route("/api/users/{id}", ["1/hour"])
        .build()
        .unwrap();
    let api = Router::new()
        .route("/users/{id}", get(hello))
        .layer(limiter.layer());
    let served = Served::of(Router::new().nest("/api", api)).await;
    assert_eq!(served.get("/api/users/1").await.status(), StatusCode::OK);
    assert_eq!(
        served.get("/api/users/2").await.status(),
        StatusCode::TOO_MANY_REQUESTS
    );
}

#[tokio::test]
async fn rlx_26_a_layer_counts_unknown_paths_and_a_route_layer_does_not() {
    let build = || {
        Limiter::builder()
            .plan("anonymous", ["2/hour"])
            .build()
            .unwrap()
    };
    let app = Router::new().route("/", get(hello)).layer(build().layer());
    let served = Served::of(app).await;
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(served.get("/nope").await.status().as_u16());
    }
    assert_eq!(statuses, [404, 404, 429, 429, 429]);

    let app = Router::new()
        .route("/", get(hello))
        .route_layer(build().layer());
    let served = Served::of(app).await;
    for _ in 0..5 {
        assert_eq!(served.get("/nope").await.status(), StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn an_application_renders_its_own_denials() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["1/hour"])
        .on_denied(|denied| {
            let text = format!(
                "{} says no to {:?}",
                denied.policies().join(","),
                denied.plan()
            );
            let mut response = denied.into_response();
            *response.body_mut() = text.into();
            response
                .headers_mut()
                .insert("content-type", "text/plain".parse().unwrap());
            response
        })
        .build()
        .unwrap();
    let served = Served::of(Router::new().route("/", get(hello)).layer(limiter.layer())).await;
    served.get("/").await;
    let denied = served.get("/").await;
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(
        denied.body(),
        "anonymous-hour says no to Some(\"anonymous\")"
    );
    assert!(denied.headers().contains_key("retry-after"));
}

async fn standing(Extension(standing): Extension<Standing>) -> String {
    format!("{:?} {:?}", standing.plan(), standing.remaining())
}

async fn dear() -> (Extension<SettledCost>, &'static str) {
    (Extension(SettledCost(40)), "dear")
}

#[tokio::test]
async fn handlers_see_how_their_caller_stands_and_settle_the_cost() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["100/hour"])
        .build()
        .unwrap();
    let app = Router::new()
        .route("/", get(standing))
        .route("/dear", get(dear))
        .layer(limiter.layer());
    let served = Served::of(app).await;
    assert_eq!(served.get("/").await.body(), "Some(\"anonymous\") Some(99)");
    let dear = served.get("/dear").await;
    assert_eq!(dear.headers()["x-ratelimit-remaining"], "59");
    assert_eq!(served.get("/").await.body(), "Some(\"anonymous\") Some(58)");
}

#[tokio::test]
async fn without_connect_info_the_remedy_is_named() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["100/hour"])
        .build()
        .unwrap();
    let app = Router::new().route("/", get(hello)).layer(limiter.layer());
    let request = Request::get("/").body(Body::empty()).unwrap();
    let response = app.oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let body = String::from_utf8(body.to_vec()).unwrap();
    assert!(
        body.contains("into_make_service_with_connect_info"),
        "{body}"
    );
}

#[tokio::test]
async fn a_policy_that_needs_no_address_works_without_a_peer() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["1/hour"])
        .plan("pro", ["1/hour"])
        .identify(|parts| {
            let user = parts.headers.get("x-user")?.to_str().ok()?;
            Some(aforo::KnownConsumer::new(user).plan("pro"))
        })
        .build()
        .unwrap();
    let app = Router::new().route("/", get(hello)).layer(limiter.layer());
    let mut statuses = Vec::new();
    for user in ["ana", "ana", "bob"] {
        let request = Request::get("/").header("x-user", user);
        let request = request.body(Body::empty()).unwrap();
        statuses.push(
            app.clone()
                .oneshot(request)
                .await
                .unwrap()
                .status()
                .as_u16(),
        );
    }
    assert_eq!(statuses, [200, 429, 200]);
}

async fn echo(body: String) -> String {
    body
}

#[tokio::test]
async fn a_handler_reads_the_body_that_was_counted_by() {
    let text = r#"
        [plans.anonymous]
        policies = []
        [policies.account]
        quota = "1/hour"
        partition_by = ["body:/email"]
        when_missing = "deny"
        [[routes]]
        match = "POST /login"
        policies = ["@account"]
    "#;
    let limiter = Limiter::from_settings(crate::support::settings(text)).unwrap();
    let app = Router::new()
        .route("/login", post(echo))
        .layer(limiter.layer());
    let served = Served::of(app).await;
    let login = || {
        Request::post(format!("{}/login", served.base))
            .header("content-type", "application/json")
            .body(Full::from(r#"{ "email": "ana" }"#))
            .unwrap()
    };
    let first = served.send(login()).await;
    assert_eq!(first.body(), r#"{ "email": "ana" }"#);
    assert_eq!(
        served.send(login()).await.status(),
        StatusCode::TOO_MANY_REQUESTS
    );
}

fn leaky() -> Router {
    let text = r#"
        [plans.anonymous]
        policies = ["@paced"]
        [policies.paced]
        quota = "10/second leaky-bucket"
        max_delay = "300ms"
    "#;
    let clock = aforo::ManualClock::at(aforo::core::Timestamp::from_seconds(crate::support::START));
    let limiter = Limiter::builder()
        .settings(crate::support::settings(text))
        .clock(clock)
        .build()
        .unwrap();
    Router::new().route("/", get(hello)).layer(limiter.layer())
}

fn from_peer() -> Request<Body> {
    let mut request = Request::get("/").body(Body::empty()).unwrap();
    let peer: SocketAddr = "192.0.2.1:1".parse().unwrap();
    request.extensions_mut().insert(aforo::PeerAddress(peer));
    request
}

#[tokio::test(start_paused = true)]
async fn a_leaky_bucket_holds_requests_for_their_slots() {
    let app = leaky();
    let start = tokio::time::Instant::now();
    let mut waits = Vec::new();
    // The limiter's clock stands still: four fit into 300 ms, the fifth does not.
    for _ in 0..4 {
        let begun = start.elapsed();
        let response = app.clone().oneshot(from_peer()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        waits.push((start.elapsed() - begun).as_millis());
    }
    for (wait, expected) in waits.iter().zip([0, 100, 200, 300]) {
        assert!(wait.abs_diff(expected) <= 2, "{waits:?}");
    }
    let denied = app.clone().oneshot(from_peer()).await.unwrap();
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_while_held_gives_its_slot_back() {
    let app = leaky();
    app.clone().oneshot(from_peer()).await.unwrap();
    for _ in 0..20 {
        let held = app.clone().oneshot(from_peer());
        let left = tokio::time::timeout(std::time::Duration::from_millis(50), held).await;
        assert!(left.is_err());
    }
    let begun = tokio::time::Instant::now();
    let response = app.clone().oneshot(from_peer()).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert!(begun.elapsed().as_millis().abs_diff(100) <= 2);
}

#[tokio::test]
async fn a_clone_is_as_ready_as_its_service() {
    // tower's contract: only the service that said it is ready is called.
    #[derive(Clone)]
    struct Ready(bool);
    impl tower::Service<Request<aforo::Replayed<Empty<bytes::Bytes>>>> for Ready {
        type Response = Response<Empty<bytes::Bytes>>;
        type Error = std::convert::Infallible;
        type Future = std::future::Ready<Result<Self::Response, Self::Error>>;
        fn poll_ready(
            &mut self,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Result<(), Self::Error>> {
            self.0 = true;
            std::task::Poll::Ready(Ok(()))
        }
        fn call(&mut self, _: Request<aforo::Replayed<Empty<bytes::Bytes>>>) -> Self::Future {
            assert!(self.0, "called before it was ready");
            self.0 = false;
            std::future::ready(Ok(Response::new(Empty::new())))
        }
    }
    impl Ready {
        fn new() -> Self {
            Self(false)
        }
    }
    let limiter = Limiter::builder().policy("p", "1/hour").build().unwrap();
    let mut service = tower::Layer::layer(&limiter.layer(), Ready::new());
    for _ in 0..3 {
        let ready = tower::ServiceExt::ready(&mut service).await.unwrap();
        let response = tower::Service::call(ready, Request::new(Empty::new()))
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
}
