//! One client connection, from its first byte to its last.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{HttpService, service_fn};
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};
use tracing::debug;

use super::activity::Activity;
use super::body::GatewayBody;
use super::exchange::{Client, answer};
use super::local_executor::LocalExecutor;
use super::open_connections::Registration;
use super::protocol::Version;
use super::socket::Socket;
use super::worker::Worker;

/// The most bytes of a body that are held at once.
const MAX_BUFFER: usize = 64 * 1024;
/// The most bytes of a request's head.
const MAX_HEAD: usize = 32 * 1024;
/// HTTP/2: the most requests at once on one connection.
const MAX_STREAMS: u32 = 128;

/// Serves a client's connection until it ends.
pub(super) async fn serve(worker: Rc<Worker>, client: Client, socket: Socket, version: Version) {
    let activity = Arc::clone(&client.activity);
    let (here, client) = (Rc::clone(&worker), Rc::new(client));
    // In a box, since hyper moves the future of each request.
    let service =
        service_fn(move |request| Box::pin(answer(Rc::clone(&here), Rc::clone(&client), request)));
    let ended = match version {
        Version::Http1 => {
            let connection = http1::Builder::new()
                .header_read_timeout(None)
                .half_close(socket.looks_for_end())
                .max_buf_size(MAX_BUFFER)
                .max_header_size(MAX_HEAD)
                .serve_connection(socket, service)
                .with_upgrades();
            Guarded::new(connection, worker, activity, true).await
        }
        Version::Http2 => {
            let connection = http2::Builder::new(LocalExecutor)
                .max_concurrent_streams(MAX_STREAMS)
                .max_header_list_size(MAX_HEAD as u32)
                .max_send_buf_size(MAX_BUFFER)
                .serve_connection(socket, service);
            Guarded::new(connection, worker, activity, false).await
        }
    };
    if let Err(error) = ended {
        debug!(%error, "a client connection broke off");
    }
}

/// A connection that can be asked to end after what it is doing.
trait Drainable: Future<Output = hyper::Result<()>> {
    /// Asks.
    fn drain(self: Pin<&mut Self>);
}

impl<S> Drainable for http1::UpgradeableConnection<Socket, S>
where
    S: HttpService<Incoming, ResBody = GatewayBody, Error = Infallible>,
{
    fn drain(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<S> Drainable for http2::Connection<Socket, S, LocalExecutor>
where
    S: HttpService<Incoming, ResBody = GatewayBody, Error = Infallible>,
    S::Future: 'static,
{
    fn drain(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

pin_project! {
    /// A connection within its timeouts. One timer per connection that looks, when it fires,
    /// whether anything is due: a request moves no timer.
    struct Guarded<C> {
        #[pin]
        connection: C,
        worker: Rc<Worker>,
        activity: Arc<Activity>,
        has_heads: bool,
        head_since: Option<Instant>,
        timer: Pin<Box<Sleep>>,
        is_armed: bool,
        is_ending: bool,
        registration: Option<Registration>,
    }
}

impl<C: Drainable> Guarded<C> {
    /// `has_heads`: whether bytes outside an exchange are the beginning of a head (HTTP/1).
    fn new(connection: C, worker: Rc<Worker>, activity: Arc<Activity>, has_heads: bool) -> Self {
        let first = activity.quiet_since();
        let timer = Box::pin(sleep_until(later(first, worker.timeouts.header)));
        Self {
            connection,
            head_since: has_heads.then_some(first),
            worker,
            activity,
            has_heads,
            timer,
            is_armed: false,
            is_ending: false,
            registration: None,
        }
    }
}

impl<C: Drainable> Future for Guarded<C> {
    type Output = hyper::Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if this.registration.is_none() {
            *this.registration = Some(this.worker.open.register(cx.waker().clone()));
        }
        loop {
            if !*this.is_ending && this.worker.is_draining() {
                *this.is_ending = true;
                this.connection.as_mut().drain();
            }
            if let Poll::Ready(ended) = this.connection.as_mut().poll(cx) {
                return Poll::Ready(ended);
            }
            if *this.has_heads && this.activity.has_partial_head() {
                let since = *this.head_since.get_or_insert_with(Instant::now);
                let due = later(since, this.worker.timeouts.header);
                if due < this.timer.deadline() {
                    this.timer.as_mut().reset(due);
                    *this.is_armed = false;
                }
            } else {
                *this.head_since = None;
            }
            if *this.is_armed && !this.timer.is_elapsed() {
                return Poll::Pending;
            }
            *this.is_armed = true;
            if this.timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            *this.is_armed = false;
            let now = Instant::now();
            let idle = this.worker.timeouts.idle;
            let (due, is_idle) = match (this.activity.is_answering(), *this.head_since) {
                (true, _) => (
                    this.activity
                        .stalled_since()
                        .map(|since| later(since, idle)),
                    false,
                ),
                (false, Some(since)) => (Some(later(since, this.worker.timeouts.header)), false),
                (false, None) => (Some(later(this.activity.quiet_since(), idle)), true),
            };
            match due {
                Some(due) if due <= now && is_idle && !*this.is_ending => {
                    *this.is_ending = true;
                    this.connection.as_mut().drain();
                    let grace = this.worker.timeouts.header;
                    this.timer.as_mut().reset(later(now, grace));
                }
                Some(due) if due <= now => return Poll::Ready(Ok(())),
                Some(due) => this.timer.as_mut().reset(due),
                None => this.timer.as_mut().reset(later(now, idle)),
            }
        }
    }
}

fn later(instant: Instant, by: std::time::Duration) -> Instant {
    instant.checked_add(by).unwrap_or(instant)
}
