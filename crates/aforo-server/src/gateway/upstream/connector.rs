//! Connecting to an upstream.

use std::io;
use std::time::Duration;

use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Target;
use super::direct::Connection;
use crate::gateway::body::RequestBody;
use crate::gateway::local_executor::LocalExecutor;

/// Why an upstream could not be reached.
#[derive(Debug, Error)]
pub(in crate::gateway) enum ConnectError {
    /// Nothing answered in time.
    #[error("no connection within {0:?}")]
    Timeout(Duration),
    /// The connection was refused, or the name does not resolve.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not speak the protocol.
    #[error(transparent)]
    Handshake(#[from] hyper::Error),
}

async fn tcp(target: &Target, within: Duration) -> Result<TcpStream, ConnectError> {
    let connect = TcpStream::connect((target.host.as_str(), target.port));
    let stream = timeout(within, connect)
        .await
        .map_err(|_elapsed| ConnectError::Timeout(within))??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A new HTTP/1.1 connection, driven by whoever uses it.
pub(super) async fn direct(
    target: &Target,
    within: Duration,
) -> Result<Box<Connection>, ConnectError> {
    let stream = tcp(target, within).await?;
    Ok(Box::new(Connection::new(stream)))
}

/// A new HTTP/1.1 connection; a task of its own drives it.
pub(super) async fn http1(
    target: &Target,
    within: Duration,
) -> Result<http1::SendRequest<RequestBody>, ConnectError> {
    let io = TokioIo::new(tcp(target, within).await?);
    let (sender, connection) = http1::Builder::new().handshake(io).await?;
    tokio::task::spawn_local(connection.with_upgrades());
    Ok(sender)
}

/// A new HTTP/2 connection; a task of its own drives it.
pub(super) async fn http2(
    target: &Target,
    within: Duration,
) -> Result<http2::SendRequest<RequestBody>, ConnectError> {
    let io = TokioIo::new(tcp(target, within).await?);
    let (sender, connection) = http2::Builder::new(LocalExecutor).handshake(io).await?;
    tokio::task::spawn_local(connection);
    Ok(sender)
}
