//! The layer around a plain hyper service.

use std::convert::Infallible;
use std::net::SocketAddr;

use aforo::{Limiter, PeerAddress, Replayed};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use tower::{Layer, Service, service_fn};

async fn echo(request: Request<Replayed<Incoming>>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    Ok(Response::new(Full::new(body)))
}

async fn serve(limiter: Limiter) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, peer) = listener.accept().await.unwrap();
            let mut limited = limiter.layer().layer(service_fn(echo));
            let service = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(PeerAddress(peer));
                limited.call(request)
            });
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)),
            );
        }
    });
    address
}

#[tokio::test]
async fn a_plain_hyper_service_is_limited() {
    let limiter = Limiter::builder()
        .plan("anonymous", ["2/hour"])
        .build()
        .unwrap();
    let address = serve(limiter).await;
    let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build_http();
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let request = Request::post(format!("http://{address}/"))
            .body(Full::<Bytes>::from("over the wire"))
            .unwrap();
        let response = client.request(request).await.unwrap();
        statuses.push(response.status().as_u16());
        if response.status().is_success() {
            assert_eq!(
                response
                    .headers()
                    .get_all("x-ratelimit-limit")
                    .iter()
                    .count(),
                1
            );
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body, "over the wire");
        }
    }
    assert_eq!(statuses, [200, 200, 429]);
}
