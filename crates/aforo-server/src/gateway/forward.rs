//! Sending a request on to an upstream, and to another when the first cannot be reached.

use std::pin::{Pin, pin};
use std::rc::Rc;

use aforo::identity::{ClientAddress, forwarding};
use aforo::{Passage, Replayed};
use http::header::{CONNECTION, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, Version};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::body::{GatewayBody, Moved, RequestBody};
use super::exchange::Client;
use super::hop_by_hop;
use super::problem::Problem;
use super::request_target::{point_at, point_back};
use super::tunnel;
use super::upstream::{Balancer, Lease, Protocol, SendError, Tried, Upstream};
use super::worker::Worker;

/// How often a request is sent to one upstream at most, when connections turn out to be closed.
const MOST_SENDS: u32 = 3;

/// A request on its way, kept whole between one attempt to send it and the next.
struct Outgoing<'a> {
    worker: &'a Worker,
    passage: &'a mut Passage,
    request: Option<Request<RequestBody>>,
    /// When its body last moved, if it has one.
    moved: Option<Moved>,
    /// The target as it was before the last attempt changed it.
    original: Option<Uri>,
    takes_trailers: bool,
    needs_http2: bool,
}

/// What became of an attempt to send.
enum Attempt {
    /// The response's head has come.
    Answered(Response<Incoming>, Lease),
    /// Nothing was sent, or it can be sent again without harm.
    Again,
    /// Nothing was sent, and this upstream cannot be reached.
    Elsewhere,
}

/// Sends a request on; gives the response as it goes to the client.
pub(super) async fn forward(
    worker: &Worker,
    balancer: &Balancer,
    client: &Client,
    mut request: Request<Replayed<Incoming>>,
    passage: &mut Passage,
) -> Result<Response<GatewayBody>, Problem> {
    let named = passage.client().copied();
    let peer = client.peer.ip();
    let address =
        named.unwrap_or_else(|| ClientAddress::of(peer, request.headers(), &worker.identity));
    let asked = hop_by_hop::take_from_request(request.headers_mut());
    let upgrade = asked.upgrade.map(|protocol| {
        hop_by_hop::ask_upgrade(request.headers_mut(), protocol);
        hyper::upgrade::on(&mut request)
    });
    name_client(worker, client, &address, request.headers_mut());
    let mut moved = None;
    let request = request.map(|body| {
        let (body, place) = RequestBody::of(body, &client.activity);
        moved = place;
        body
    });
    let mut outgoing = Outgoing {
        worker,
        passage,
        needs_http2: is_grpc(&request),
        request: Some(request),
        moved,
        original: None,
        takes_trailers: asked.trailers && upgrade.is_none(),
    };
    let (response, lease) = outgoing.sent(balancer).await?;
    received(response, lease, upgrade)
}

impl Outgoing<'_> {
    /// Sends it to one upstream after the other, until one answers.
    async fn sent(&mut self, balancer: &Balancer) -> Result<(Response<Incoming>, Lease), Problem> {
        let mut tried = Tried::default();
        while let Some(upstream) = balancer.next(&mut tried) {
            for send in 0..MOST_SENDS {
                match self.attempt(upstream, send > 0).await? {
                    Attempt::Answered(response, lease) => return Ok((response, lease)),
                    Attempt::Again => {}
                    Attempt::Elsewhere => break,
                }
            }
        }
        Err(Problem::BadGateway)
    }

    async fn attempt(&mut self, upstream: &Rc<Upstream>, fresh: bool) -> Result<Attempt, Problem> {
        let protocol = upstream.target().protocol(self.needs_http2);
        let mut lease = match upstream.lease(protocol, fresh).await {
            Ok(lease) => lease,
            Err(error) => {
                warn!(upstream = %upstream.target().authority, %error, "an upstream cannot be reached");
                upstream.health().unreachable(Instant::now());
                return Ok(Attempt::Elsewhere);
            }
        };
        let Some(mut request) = self.request.take() else {
            return Err(Problem::Internal);
        };
        if self.takes_trailers {
            let is_http1 = protocol == Protocol::Http1;
            hop_by_hop::ask_trailers(request.headers_mut(), is_http1);
        }
        self.original = point_at(&mut request, upstream.target(), protocol)?;
        let copy = lease.is_reused().then(|| copy_of(&request)).flatten();
        self.passage.forwarded();
        let sent = {
            let sending = pin!(lease.send(request));
            self.answer_in_time(sending).await
        };
        match sent {
            Some(Ok(response)) => {
                upstream.health().answered();
                Ok(Attempt::Answered(response, lease))
            }
            Some(Err(SendError::Unsent(request))) => {
                self.take_back(*request);
                Ok(Attempt::Again)
            }
            Some(Err(SendError::Broken(error))) => match copy {
                Some(copy) => {
                    debug!(%error, "a connection was closed between two requests; this one is sent again");
                    self.take_back(copy);
                    Ok(Attempt::Again)
                }
                None => {
                    warn!(upstream = %upstream.target().authority, %error, "an upstream broke off");
                    upstream.health().failed(Instant::now());
                    Err(Problem::BadGateway)
                }
            },
            None => {
                warn!(upstream = %upstream.target().authority, "an upstream did not answer in time");
                upstream.health().failed(Instant::now());
                Err(Problem::GatewayTimeout)
            }
        }
    }

    fn take_back(&mut self, mut request: Request<RequestBody>) {
        point_back(&mut request, self.original.take());
        if self.takes_trailers {
            request.headers_mut().remove(CONNECTION);
        }
        self.request = Some(request);
    }

    /// The response's head; `None` when it takes too long. While the request's body is still on
    /// its way, the time starts anew with everything that moves.
    async fn answer_in_time<F: Future>(&self, mut answer: Pin<&mut F>) -> Option<F::Output> {
        let limit = self.worker.timeouts.response;
        let mut left = limit;
        loop {
            let answered = self.worker.deadlines.within(left, answer.as_mut()).await;
            let Some(moved) = self.moved.as_ref().filter(|_| answered.is_none()) else {
                return answered;
            };
            left = limit.saturating_sub(moved.get().elapsed());
            if left.is_zero() {
                return None;
            }
        }
    }
}

/// A response as it goes to the client.
fn received(
    mut response: Response<Incoming>,
    lease: Lease,
    upgrade: Option<OnUpgrade>,
) -> Result<Response<GatewayBody>, Problem> {
    let is_upgrade = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    hop_by_hop::take_from_response(response.headers_mut(), is_upgrade);
    *response.version_mut() = Version::HTTP_11;
    if !is_upgrade {
        return Ok(response.map(|body| GatewayBody::upstream(body, lease)));
    }
    let Some(client) = upgrade else {
        warn!("an upstream changes protocols unasked");
        return Err(Problem::BadGateway);
    };
    tunnel::open(client, hyper::upgrade::on(&mut response), lease);
    Ok(response.map(|_body| GatewayBody::empty()))
}

/// Rewrites what says for whom the request is forwarded.
fn name_client(worker: &Worker, client: &Client, address: &ClientAddress, headers: &mut HeaderMap) {
    let host = headers.get(HOST).cloned();
    let host = host.as_ref().and_then(|host| host.to_str().ok());
    forwarding::rewrite(headers, address, &client.scheme, host, &worker.identity);
}

/// gRPC lives in HTTP/2's trailers, whatever the upstream speaks otherwise.
fn is_grpc<B>(request: &Request<B>) -> bool {
    let is_grpc = |media_type: &HeaderValue| media_type.as_bytes().starts_with(b"application/grpc");
    request.version() == Version::HTTP_2 && request.headers().get(CONTENT_TYPE).is_some_and(is_grpc)
}

/// The same request once more, when sending it twice does no harm (RFC 9110 §9.2.2).
fn copy_of(request: &Request<RequestBody>) -> Option<Request<RequestBody>> {
    let is_idempotent = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE | Method::TRACE
    );
    if !is_idempotent || !matches!(request.body(), RequestBody::Empty) {
        return None;
    }
    let mut copy = Request::new(RequestBody::Empty);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}
