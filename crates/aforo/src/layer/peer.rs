//! The socket's peer, as the server says it.

use std::net::SocketAddr;

use ::http::Extensions;

/// The socket's peer, as an extension of the request: for servers that say it in no way of their
/// own (plain hyper). axum says it by `into_make_service_with_connect_info::<SocketAddr>()`,
/// tonic by itself.
///
/// ```
/// use std::net::SocketAddr;
/// use aforo::PeerAddress;
///
/// let peer: SocketAddr = "192.0.2.7:50000".parse()?;
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(PeerAddress(peer));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

impl PeerAddress {
    /// The peer of a request, if anybody said it.
    pub(super) fn of(extensions: &Extensions) -> Option<SocketAddr> {
        if let Some(Self(peer)) = extensions.get() {
            return Some(*peer);
        }
        #[cfg(feature = "axum")]
        if let Some(axum::extract::ConnectInfo(peer)) = extensions.get() {
            return Some(*peer);
        }
        #[cfg(feature = "tonic")]
        if let Some(info) = extensions.get::<tonic::transport::server::TcpConnectInfo>() {
            return info.remote_addr();
        }
        None
    }
}
