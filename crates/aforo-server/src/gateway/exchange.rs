//! One request and its response.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use aforo::identity::ClientCertificate;
use aforo::identity::forwarding::Forwarding;
use aforo::{Admission, Passage, Replayed};
use http::uri::Scheme;
use http::{Method, Request, Response};
use http_body::Body;
use hyper::body::Incoming;

use super::activity::Activity;
use super::body::GatewayBody;
use super::forward::forward;
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

/// Asks the limiter, and gives what it lets pass to what stands behind the gateway.
async fn admit(
    worker: &Worker,
    client: &Client,
    mut request: Request<Incoming>,
) -> Result<Response<GatewayBody>, Problem> {
    if request.method() == Method::CONNECT {
        return Err(Problem::NoTunnels);
    }
    settle_host(&mut request)?;
    if let Some(certificate) = &client.certificate {
        request.extensions_mut().insert(certificate.clone());
    }
    let raw_target = worker.forwards_raw().then(|| request.uri().clone());
    match worker.limiter.admit(request, Some(client.peer)).await {
        Admission::Answer(answer) => Ok(answer.map(GatewayBody::answer)),
        Admission::Pass(mut request, passage) => {
            if let Some(raw) = raw_target {
                *request.uri_mut() = raw;
            }
            Ok(pass(worker, client, request, passage).await)
        }
    }
}

/// Gives an admitted request to what stands behind the gateway, when its time has come.
async fn pass(
    worker: &Worker,
    client: &Client,
    request: Request<Replayed<Incoming>>,
    mut passage: Passage,
) -> Response<GatewayBody> {
    if let Some(delay) = passage.delay() {
        Box::pin(tokio::time::sleep(delay)).await;
    }
    let response = match &worker.behind {
        Behind::Echo => {
            passage.forwarded();
            echo::answer(&request, passage.client_address(), passage.consumer())
        }
        Behind::Upstreams(balancer) => forward(worker, balancer, client, request, &mut passage)
            .await
            .unwrap_or_else(Problem::response),
    };
    let (mut parts, body) = response.into_parts();
    passage.finish(&mut parts).await;
    Response::from_parts(parts, body)
}
