//! One HTTP/2 connection.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use http::{HeaderMap, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tonic::Status;
use tonic::body::Body;
use tonic::server::Grpc;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::HealthService;
use tonic_prost::ProstCodec;

use super::super::pulse::{Doing, Pulse};
use super::desk::Desk;
use super::service::ShouldRateLimit;
use crate::gateway::LocalExecutor;

/// The most bytes of a message.
const MOST_MESSAGE: usize = 1024 * 1024;
/// The most requests at once on a connection.
const MOST_STREAMS: u32 = 1_024;
/// The most bytes of a request's headers.
const MOST_HEADERS: u32 = 16 * 1024;
/// How long a client may take to leave.
const LEAVE: Duration = Duration::from_millis(500);
/// After so many wrong tokens the connection ends.
const MOST_WRONG: u8 = 3;

const SHOULD_RATE_LIMIT: &str = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
const HEALTH: &str = "/grpc.health.v1.Health/";

/// What is known of a connection.
struct Line {
    desk: Rc<Desk>,
    /// Questions that are open.
    open: Cell<usize>,
    /// Whether any was asked since somebody looked.
    lively: Cell<bool>,
    wrong: Cell<u8>,
}

/// Serves a client until its connection ends.
pub(in crate::decide) async fn serve<S>(
    stream: S,
    desk: Rc<Desk>,
    pulse: Rc<Pulse>,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    // It looks after itself: it takes leave before it ends.
    pulse.set(Doing::Waiting);
    let line = Rc::new(Line {
        desk: Rc::clone(&desk),
        open: Cell::new(0),
        lively: Cell::new(true),
        wrong: Cell::new(0),
    });
    let of_service = Rc::clone(&line);
    let service = service_fn(move |request| {
        let line = Rc::clone(&of_service);
        async move { Ok::<_, Infallible>(line.answer(request).await) }
    });
    let mut builder = http2::Builder::new(LocalExecutor);
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(MOST_STREAMS)
        .max_header_list_size(MOST_HEADERS);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let mut ending = desk.ending.subscribe();
    let mut looks = interval(tick(desk.idle_timeout));
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut idle = Duration::ZERO;
    loop {
        tokio::select! {
            ended = connection.as_mut() => return ended.map_err(io::Error::other),
            _ = looks.tick() => {
                idle = if line.is_idle() { idle.saturating_add(looks.period()) } else { Duration::ZERO };
                if idle <= desk.idle_timeout && line.wrong.get() < MOST_WRONG {
                    continue;
                }
            }
            _ = ending.wait_for(|ending| *ending) => {}
        }
        break;
    }
    connection.as_mut().graceful_shutdown();
    // A client that does not take leave is not waited for once its questions are answered.
    while let Err(_silent) = timeout(LEAVE, connection.as_mut()).await {
        if line.open.get() == 0 {
            break;
        }
    }
    Ok(())
}

/// How often a connection is looked at.
fn tick(idle_timeout: Duration) -> Duration {
    let eighth = idle_timeout.checked_div(8).unwrap_or(idle_timeout);
    eighth.clamp(Duration::from_millis(10), Duration::from_secs(1))
}

impl Line {
    fn is_idle(&self) -> bool {
        !self.lively.replace(false) && self.open.get() == 0
    }

    async fn answer(self: Rc<Self>, request: Request<Incoming>) -> Response<Body> {
        self.lively.set(true);
        let path = request.uri().path();
        if path == SHOULD_RATE_LIMIT {
            if !self.admits(request.headers()) {
                return refused();
            }
            return self.should_rate_limit(request).await;
        }
        if path.starts_with(HEALTH) {
            let health = HealthService::from_health_reporter(self.desk.health.clone());
            return served(HealthServer::new(health), request).await;
        }
        if !self.admits(request.headers()) {
            return refused();
        }
        match &self.desk.reflection {
            Some(reflection) => reflection.answer(request).await,
            None => Status::unimplemented("no such method").into_http(),
        }
    }

    async fn should_rate_limit(&self, request: Request<Incoming>) -> Response<Body> {
        let _open = Open::of(&self.open);
        let codec = ProstCodec::default();
        let mut grpc = Grpc::new(codec).apply_max_message_size_config(Some(MOST_MESSAGE), None);
        let asking = grpc.unary(ShouldRateLimit(Rc::clone(&self.desk)), request);
        let answer = timeout(self.desk.request_timeout, asking).await;
        answer.unwrap_or_else(|_| {
            Status::deadline_exceeded("the request did not arrive in time").into_http()
        })
    }

    /// Whether the client has shown the token, if there is one.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.desk.token else {
            return true;
        };
        let sent = headers
            .get(header::AUTHORIZATION)
            .map(http::HeaderValue::as_bytes);
        let admitted = sent.is_some_and(|value| token.is_bearer(value));
        if !admitted {
            self.wrong.set(self.wrong.get().saturating_add(1));
        }
        admitted
    }
}

fn refused() -> Response<Body> {
    Status::unauthenticated("expected authorization: Bearer TOKEN").into_http()
}

/// The answer of one of tonic's services.
pub(super) async fn served<T>(mut service: T, request: Request<Incoming>) -> Response<Body>
where
    T: tower_service::Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
{
    match service.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// A question that is open.
struct Open<'c>(&'c Cell<usize>);

impl<'c> Open<'c> {
    fn of(count: &'c Cell<usize>) -> Self {
        count.set(count.get().saturating_add(1));
        Self(count)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}
