//! An HTTP/2 client by prior knowledge.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

/// One connection, for any number of requests at once.
#[derive(Clone)]
pub(crate) struct Http2Client {
    sender: SendRequest<Full<Bytes>>,
    address: SocketAddr,
}

impl Http2Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let io = TokioIo::new(TcpStream::connect(address).await.unwrap());
        let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
        tokio::spawn(connection);
        Self { sender, address }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Response<Bytes> {
        let uri = format!("http://{}{path}", self.address);
        let request = Request::get(uri).body(Full::default()).unwrap();
        self.send(request).await
    }

    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> Response<Bytes> {
        let response = self.sender.send_request(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Response::from_parts(parts, body)
    }
}
