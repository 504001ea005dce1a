//! Sending a request on to an upstream, and to another when the first cannot be reached.

use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;

use aforo::identity::ClientAddress;
use aforo::identity::told::Told;
use aforo::{Passage, Replayed};
use http::header::{CONNECTION, CONTENT_TYPE, HOST};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, Version};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::body::{GatewayBody, Moved, RequestBody};
use super::consumer_fields;
use super::exchange::Client;
use super::hop_by_hop;
use super::problem::Problem;
use super::request_target::{point_at, point_back};
use super::tunnel;
use super::upstream::{
    Balancer, Lease, Protocol, SendError, Target, Tried, Upstream, UpstreamBody, Way,
};
use super::worker::Worker;

/// How often a request is sent to one upstream at most, when connections turn out to be closed.
const MOST_SENDS: u32 = 3;

/// A request on its way, kept whole between one attempt to send it and the next.
pub(super) struct Outgoing<'a> {
    worker: &'a Worker,
    passage: &'a mut Passage,
    request: Option<Request<RequestBody>>,
    /// When its body last moved, if it has one.
    moved: Option<Moved>,
    /// For whom it is forwarded, unless that is among its fields.
    told: Option<Arc<Told>>,
    /// The target as it was before the last attempt changed it.
    original: Option<Uri>,
    takes_trailers: bool,
    /// The client's end, when the connection is to change its protocol.
    upgrade: Option<OnUpgrade>,
    needs_http2: bool,
}

/// What became of an attempt to send.
enum Attempt {
    /// The response's head has come.
    Answered(Response<UpstreamBody>),
    /// Nothing was sent, or it can be sent again without harm.
    Again,
    /// Nothing was sent, and this upstream cannot be reached.
    Elsewhere,
}

impl<'a> Outgoing<'a> {
    /// A request that is to be sent on.
    pub(super) fn new(
        worker: &'a Worker,
        client: &Client,
        mut head: Parts,
        body: Replayed<Incoming>,
        passage: &'a mut Passage,
    ) -> Self {
        let headers = &mut head.headers;
        let named = passage.client().copied();
        let peer = client.peer.ip();
        let address = named.unwrap_or_else(|| ClientAddress::of(peer, headers, &worker.identity));
        let asked = hop_by_hop::take_from_request(headers);
        let changes_protocol = asked.upgrade.is_some();
        if let Some(protocol) = asked.upgrade {
            hop_by_hop::ask_upgrade(headers, protocol);
        }
        let told = name_client(worker, client, &address, headers);
        if worker.names_consumers {
            consumer_fields::write(headers, passage.caller());
        }
        let (body, moved) = RequestBody::of(body, &client.activity);
        let mut request = Request::from_parts(head, body);
        Self {
            worker,
            passage,
            needs_http2: is_grpc(&request),
            upgrade: changes_protocol.then(|| hyper::upgrade::on(&mut request)),
            request: Some(request),
            moved,
            told,
            original: None,
            takes_trailers: asked.trailers && !changes_protocol,
        }
    }

    /// Sends it on; gives the response as it goes to the client.
    pub(super) async fn answered(
        &mut self,
        balancer: &Balancer,
    ) -> Result<Response<GatewayBody>, Problem> {
        let response = self.sent(balancer).await?;
        received(response, self.upgrade.take())
    }

    /// Sends it to one upstream after the other, until one answers.
    async fn sent(&mut self, balancer: &Balancer) -> Result<Response<UpstreamBody>, Problem> {
        let mut tried = Tried::default();
        while let Some(upstream) = balancer.next(&mut tried) {
            for send in 0..MOST_SENDS {
                match self.attempt(upstream, send > 0).await? {
                    Attempt::Answered(response) => return Ok(response),
                    Attempt::Again => {}
                    Attempt::Elsewhere => break,
                }
            }
        }
        Err(Problem::BadGateway)
    }

    async fn attempt(&mut self, upstream: &Rc<Upstream>, fresh: bool) -> Result<Attempt, Problem> {
        let way = self.way(upstream.target());
        let lease = match upstream.lease(way, fresh).await {
            Ok(lease) => lease,
            Err(error) => {
                warn!(upstream = %upstream.target().authority, %error, "an upstream cannot be reached");
                upstream.health().unreachable(Instant::now());
                return Ok(Attempt::Elsewhere);
            }
        };
        let Some(request) = self.request.as_mut() else {
            return Err(Problem::Internal);
        };
        let protocol = way.protocol();
        if self.takes_trailers {
            let is_http1 = protocol == Protocol::Http1;
            hop_by_hop::ask_trailers(request.headers_mut(), is_http1);
        }
        self.original = point_at(request, upstream.target(), protocol)?;
        self.passage.forwarded();
        let is_retriable = lease.is_reused() && is_idempotent(request);
        let sent = match way {
            Way::Direct => self.send_direct(lease).await,
            Way::Http1 | Way::Http2 => self.send(lease, is_retriable).await,
        };
        let error = match sent {
            Some(Ok(response)) => {
                upstream.health().answered();
                return Ok(Attempt::Answered(response));
            }
            Some(Err(SendError::Unsent(request))) => {
                self.request = Some(*request);
                self.take_back();
                return Ok(Attempt::Again);
            }
            Some(Err(SendError::Unanswered(error) | SendError::Broken(error)))
                if is_retriable && self.request.is_some() =>
            {
                debug!(%error, "a connection was closed between two requests; this one is sent again");
                self.take_back();
                return Ok(Attempt::Again);
            }
            Some(Err(SendError::Unanswered(error) | SendError::Broken(error))) => error,
            None => {
                warn!(upstream = %upstream.target().authority, "an upstream did not answer in time");
                upstream.health().failed(Instant::now());
                return Err(Problem::GatewayTimeout);
            }
        };
        warn!(upstream = %upstream.target().authority, %error, "an upstream broke off");
        upstream.health().failed(Instant::now());
        Err(Problem::BadGateway)
    }

    /// Lends the request to a connection; it is still here unless an answer came.
    async fn send_direct(
        &mut self,
        lease: Lease,
    ) -> Option<Result<Response<UpstreamBody>, SendError>> {
        let request = self.request.as_mut()?;
        let sent = {
            let told = self.told.as_deref().map_or(&[][..], Told::lines);
            let sending = pin!(lease.send_direct(request, told));
            answer_in_time(self.worker, self.moved.as_ref(), sending).await
        };
        if !matches!(sent, Some(Err(SendError::Unanswered(_)))) {
            self.request = None;
        }
        sent
    }

    /// Gives the request to a connection; when it may be sent again, a copy stays here.
    async fn send(
        &mut self,
        lease: Lease,
        is_retriable: bool,
    ) -> Option<Result<Response<UpstreamBody>, SendError>> {
        let mut request = self.request.take()?;
        if let Some(told) = self.told.take() {
            told.insert_into(request.headers_mut());
        }
        self.request = is_retriable.then(|| copy_of(&request));
        let sending = pin!(lease.send(request));
        answer_in_time(self.worker, self.moved.as_ref(), sending).await
    }

    /// By which way this request goes to `target`.
    fn way(&self, target: &Target) -> Way {
        let is_plain = !self.takes_trailers && self.upgrade.is_none() && self.moved.is_none();
        match target.protocol(self.needs_http2) {
            Protocol::Http2 => Way::Http2,
            Protocol::Http1 if is_plain => Way::Direct,
            Protocol::Http1 => Way::Http1,
        }
    }

    /// Undoes what the last attempt changed.
    fn take_back(&mut self) {
        let original = self.original.take();
        let Some(request) = self.request.as_mut() else {
            return;
        };
        point_back(request, original);
        if self.takes_trailers {
            request.headers_mut().remove(CONNECTION);
        }
    }
}

/// The response's head; `None` when it takes too long. While the request's body is still on its
/// way, the time starts anew with everything that moves.
async fn answer_in_time<F: Future>(
    worker: &Worker,
    moved: Option<&Moved>,
    mut answer: Pin<&mut F>,
) -> Option<F::Output> {
    let limit = worker.timeouts.response;
    let mut left = limit;
    loop {
        let answered = worker.deadlines.within(left, answer.as_mut()).await;
        let Some(moved) = moved.filter(|_| answered.is_none()) else {
            return answered;
        };
        left = limit.saturating_sub(moved.get().elapsed());
        if left.is_zero() {
            return None;
        }
    }
}

/// A response as it goes to the client.
fn received(
    mut response: Response<UpstreamBody>,
    upgrade: Option<OnUpgrade>,
) -> Result<Response<GatewayBody>, Problem> {
    let is_upgrade = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    hop_by_hop::take_from_response(response.headers_mut(), is_upgrade);
    *response.version_mut() = Version::HTTP_11;
    if !is_upgrade {
        return Ok(response.map(GatewayBody::upstream));
    }
    let Some(client) = upgrade else {
        warn!("an upstream changes protocols unasked");
        return Err(Problem::BadGateway);
    };
    let upstream = hyper::upgrade::on(&mut response);
    Ok(response.map(|body| {
        tunnel::open(client, upstream, body);
        GatewayBody::empty()
    }))
}

/// Takes out what says for whom the request is forwarded; gives what is to be said instead.
fn name_client(
    worker: &Worker,
    client: &Client,
    address: &ClientAddress,
    headers: &mut HeaderMap,
) -> Option<Arc<Told>> {
    let host = headers.get(HOST).cloned();
    let mut forwarding = client.forwarding.borrow_mut();
    let (scheme, identity) = (&client.scheme, &worker.identity);
    let told = forwarding.rewrite_apart(headers, address, scheme, host.as_ref(), identity);
    told.cloned()
}

/// gRPC lives in HTTP/2's trailers, whatever the upstream speaks otherwise.
fn is_grpc<B>(request: &Request<B>) -> bool {
    let is_grpc = |media_type: &HeaderValue| media_type.as_bytes().starts_with(b"application/grpc");
    request.version() == Version::HTTP_2 && request.headers().get(CONTENT_TYPE).is_some_and(is_grpc)
}

/// Whether sending it twice does no harm (RFC 9110 §9.2.2).
fn is_idempotent(request: &Request<RequestBody>) -> bool {
    let is_idempotent = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE | Method::TRACE
    );
    is_idempotent && matches!(request.body(), RequestBody::Empty)
}

/// The same request once more; it has no body.
fn copy_of(request: &Request<RequestBody>) -> Request<RequestBody> {
    let mut copy = Request::new(RequestBody::Empty);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    copy
}
