//! Rate limiting for APIs, to embed in an application.
//!
//! A [`Limiter`] holds policies, stores and a clock. It serves as a tower layer before an HTTP or
//! gRPC service, or as a plain function call. Counters are in memory unless a store is brought.
//!
//! # A first limit in axum
//!
//! With the feature `axum`:
//!
//! ```no_run
//! # #[cfg(feature = "axum")]
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! # use std::net::SocketAddr;
//! # use axum::{Router, routing::get};
//! let limiter = aforo::Limiter::builder().plan("anonymous", ["60/minute burst 10"]).build()?;
//! let app = Router::new()
//!     .route("/", get(|| async { "hello" }))
//!     .layer(limiter.layer());
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//! axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Ten requests at once, then one a second, per client address; every response tells its caller
//! where it stands, and a denial when to come back. `into_make_service_with_connect_info` is what
//! tells the limiter the address: without it a policy that needs one answers 500 and names this
//! remedy, since the alternative would be one bucket for everybody.
//!
//! `Router::layer` counts requests that match no route too, if it is called after the routes and
//! the fallback; `Router::route_layer` does not. Either way the route is the one that axum matched.
//!
//! # From a file
//!
//! Policies, plans, routes and consumers in one [file](aforo_policy::file), the same that the
//! gateway reads:
//!
//! ```no_run
//! let limiter = aforo::Limiter::from_file("aforo.toml")?;
//! // Later, say on SIGHUP: a bad file changes nothing, a good one keeps all counters.
//! limiter.reload_file("aforo.toml")?;
//! # Ok::<(), aforo::BuildError>(())
//! ```
//!
//! # Without HTTP
//!
//! A policy has a name, and counts apart whatever it is given:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let limiter = aforo::Limiter::builder()
//!     .policy("exports", "100/day fixed-window")
//!     .build()?;
//!
//! let account = "acme";
//! let check = limiter.check_cost("exports", account, 40).await?;
//! assert!(check.is_allowed());
//! assert_eq!(check.outcome.map(|outcome| outcome.remaining), Some(60));
//!
//! let check = limiter.check_cost("exports", account, 70).await?;
//! assert!(!check.is_allowed());
//! # Ok(())
//! # }
//! ```
//!
//! [`Limiter::check_now`] is the same for code that is not async, [`Limiter::peek`] looks without
//! taking, [`Limiter::reset`] forgets.
//!
//! # Who is calling
//!
//! Without more, callers are client addresses (IPv6: their /64). Behind a proxy, say which peers
//! are believed, or everybody is the proxy:
//!
//! ```
//! let limiter = aforo::Limiter::builder()
//!     .plan("anonymous", ["60/minute"])
//!     .trusted_proxies(["10.0.0.0/8"])
//!     .build()?;
//! # Ok::<(), aforo::BuildError>(())
//! ```
//!
//! Consumers are known by the API keys of the file; credentials that verify nobody are limited to 60
//! a minute per address. Or the application says who they are:
//!
//! ```
//! use aforo::{KnownConsumer, Limiter};
//!
//! #[derive(Clone)]
//! struct Session { account: String, paying: bool }
//!
//! let limiter = Limiter::builder()
//!     .plan("anonymous", ["30/minute"])
//!     .plan("free", ["60/minute"])
//!     .plan("pro", ["1000/minute burst 200"])
//!     .identify(|request| {
//!         let session = request.extensions.get::<Session>()?;
//!         let plan = if session.paying { "pro" } else { "free" };
//!         Some(KnownConsumer::new(&session.account).plan(plan))
//!     })
//!     .build()?;
//! # Ok::<(), aforo::BuildError>(())
//! ```
//!
//! Behind the layer, handlers find a [`Standing`] among the request's extensions;
//! [`Passage::standing`] tells the same without it.
//!
//! # Costs that are known afterwards
//!
//! A request takes its route's cost. A handler that knows better puts a [`SettledCost`] among its
//! response's extensions, and the charges are corrected to it:
//!
//! ```
//! use aforo::SettledCost;
//!
//! fn answer(rows: Vec<String>) -> http::Response<String> {
//!     let cost = SettledCost(rows.len() as u64);
//!     let mut response = http::Response::new(rows.join("\n"));
//!     response.extensions_mut().insert(cost);
//!     response
//! }
//! # assert!(answer(vec![]).extensions().get::<SettledCost>().is_some());
//! ```
//!
//! Policies with `count = "failures"` reserve before the handler runs and give back what did not
//! count, so that parallel guesses do not slip through and good logins cost nothing.
//!
//! # Denials
//!
//! The standard answer is a problem document with Retry-After and the RateLimit fields, for gRPC
//! callers `RESOURCE_EXHAUSTED`; [`LimiterBuilder::on_denied`] changes it.
//!
//! # tonic and plain hyper
//!
//! [`Limiter::layer`] is a tower layer: `tonic::transport::Server::builder().layer(...)` (feature
//! `tonic`), or around any tower service under hyper, whose requests then need a
//! [`PeerAddress`] among their extensions. Those without tower call [`Limiter::admit`]:
//!
//! ```
//! # use http_body_util::Full;
//! # use bytes::Bytes;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use aforo::{Admission, Limiter};
//!
//! let limiter = Limiter::builder().plan("anonymous", ["60/minute"]).build()?;
//! let request = http::Request::get("/orders").body(Full::<Bytes>::default())?;
//! let peer = "192.0.2.7:50000".parse()?;
//! match limiter.admit(request, Some(peer)).await {
//!     Admission::Answer(denial) => { /* send it */ }
//!     Admission::Pass(request, mut passage) => {
//!         // Here a leaky bucket's passage.delay() is waited for.
//!         passage.forwarded();
//!         let (mut parts, body) = http::Response::new("42").into_parts();
//!         passage.finish(&mut parts).await;
//!         assert_eq!(parts.headers["x-ratelimit-limit"], "60");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A server that keeps a request's head where it is calls [`Limiter::enter`] instead, which moves
//! nothing and makes no future for a request that has nothing to wait for.
//!
//! # Time in tests
//!
//! Time comes from a clock that a test moves, [`LimiterBuilder::clock`]; nothing sleeps but the
//! layer, for a leaky bucket.
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `tower` (default) | [`layer`], on tokio's timer |
//! | `axum` | `ConnectInfo` as the peer, `MatchedPath` as the route |
//! | `registry-sqlite`, `registry-postgres` | `registry`: consumers and their API keys in a database |
//! | `jwt` | consumers behind signed tokens |
//! | `lookup` | keys and consumers asked of an HTTP endpoint, on tokio |
//! | `tonic` | tonic's `TcpConnectInfo` as the peer (with TLS: a [`PeerAddress`]) |

pub mod decide;
pub mod http;
pub mod identity;

#[cfg(any(feature = "registry-sqlite", feature = "registry-postgres"))]
pub mod registry;

mod admission;
mod at_once;
mod build_error;
mod builder;
mod check;
mod denied;
mod fixed;
mod known_consumer;
mod limiter;
mod observer;
mod passage;
mod process_environment;
mod replayed;
mod secret;
mod settled_cost;
mod setup;
mod signals;
mod standing;
mod stores;
mod taking;
mod way;

#[cfg(feature = "tower")]
pub mod layer;

pub use admission::{Admission, AnswerBody};
pub use build_error::BuildError;
pub use builder::LimiterBuilder;
pub use check::{Check, CheckError};
pub use denied::Denied;
pub use known_consumer::KnownConsumer;
#[cfg(feature = "tower")]
pub use layer::{LimiterLayer, PeerAddress};
pub use limiter::Limiter;
pub use observer::{Decided, Judged, Observer};
pub use passage::Passage;
pub use process_environment::ProcessEnvironment;
pub use replayed::Replayed;
pub use settled_cost::SettledCost;
pub use signals::Signal;
pub use standing::Standing;
pub use stores::{StoreState, StoreStatus};
pub use way::{Entered, Waiting};

pub use aforo_core as core;
pub use aforo_policy as policy;
pub use aforo_policy::Place;
pub use aforo_store as store;
pub use aforo_store::{LeaseStats, ManualClock};

/// Compiles what the README shows.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
