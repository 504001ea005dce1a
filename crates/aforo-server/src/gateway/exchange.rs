//! One request and its response.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use aforo::identity::ClientCertificate;
use aforo::identity::forwarding::Forwarding;
use aforo::{Admission, Entered, Replayed};
use http::uri::Scheme;
use http::{Method, Request, Response};
use http_body::Body;
use hyper::body::Incoming;

use super::activity::Activity;
use super::body::GatewayBody;
use super::forward::Outgoing;
use super::problem::Problem;
use super::request_target::settle_host;
use super::worker::{Behind, Worker};
use super::{echo, unwind};

/// The client's end of a connection.
pub(super) struct Client {
    pub(super) peer: SocketAddr,
    pub(super) scheme: Scheme,
    /// What it showed of itself, when it was asked.
    pub(super) certificate: Option<ClientCertificate>,
    pub(super) activity: Arc<Activity>,
    /// What the last request was told to be forwarded for.
    pub(super) forwarding: RefCell<Forwarding>,
}

/// Answers a request, whatever happens. Futures are pinned where they are made: each move of one
/// is a copy of some kilobytes for every request.
pub(super) async fn answer(
    worker: Rc<Worker>,
    client: Rc<Client>,
    request: Request<Incoming>,
) -> Result<Response<GatewayBody>, Infallible> {
    let exchange = client.activity.begin(!request.body().is_end_stream());
    let admitted = pin!(admit(&worker, &client, request));
    let answered = unwind::catch_panic(admitted).await;
    let response = answered
        .unwrap_or(Err(Problem::Internal))
        .unwrap_or_else(Problem::response);
    Ok(response.map(|body| body.within(exchange)))
}

/// Asks the limiter, and gives what it lets pass to what stands behind the gateway, when its time
/// has come. The head stays where it is meanwhile, since each move of it is a copy.
async fn admit(
    worker: &Worker,
    client: &Client,
    request: Request<Incoming>,
) -> Result<Response<GatewayBody>, Problem> {
    let (mut head, body) = request.into_parts();
    if head.method == Method::CONNECT {
        return Err(Problem::NoTunnels);
    }
    settle_host(&mut head)?;
    if let Some(certificate) = &client.certificate {
        head.extensions.insert(certificate.clone());
    }
    let raw_target = worker.forwards_raw().then(|| head.uri.clone());
    let (body, mut passage) = match worker.limiter.enter(&mut head, Some(client.peer)) {
        Entered::Passes(passage) => (Replayed::untouched(body), passage),
        Entered::Answered(answer) => return Ok(answer.map(GatewayBody::answer)),
        Entered::Waits(waiting) => match Box::pin(waiting.go_on(head, body)).await {
            Admission::Answer(answer) => return Ok(answer.map(GatewayBody::answer)),
            Admission::Pass(request, passage) => {
                let (waited, body) = request.into_parts();
                head = waited;
                (body, passage)
            }
        },
    };
    if let Some(raw) = raw_target {
        head.uri = raw;
    }
    if let Some(delay) = passage.delay() {
        Box::pin(tokio::time::sleep(delay)).await;
    }
    let response = match &worker.behind {
        Behind::Echo => {
            passage.forwarded();
            echo::answer(&head, passage.client_address(), passage.consumer())
        }
        Behind::Upstreams(balancer) => {
            let mut outgoing = Outgoing::new(worker, client, head, body, &mut passage);
            let answered = outgoing.answered(balancer).await;
            answered.unwrap_or_else(Problem::response)
        }
    };
    let (mut parts, body) = response.into_parts();
    passage.finish(&mut parts).await;
    Ok(Response::from_parts(parts, body))
}
