//! Which version of HTTP a client speaks.

use std::io;

use bytes::Bytes;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// How an HTTP/2 client begins (RFC 9113 §3.4), as far as no other request does.
const PREFACE: &[u8; 4] = b"PRI ";

/// Which version of HTTP a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Http1,
    Http2,
}

/// Learns from a plain connection's first bytes which version it is; also gives what had to be
/// taken from the socket.
pub(super) async fn of_first_bytes(stream: &mut TcpStream) -> io::Result<(Version, Bytes)> {
    let mut seen = [0; PREFACE.len()];
    let length = stream.peek(&mut seen).await?;
    match version_of(seen.get(..length).unwrap_or_default()) {
        Some(version) => Ok((version, Bytes::new())),
        None => of_slow_bytes(stream).await,
    }
}

/// The same for a client that sends byte by byte.
async fn of_slow_bytes(stream: &mut TcpStream) -> io::Result<(Version, Bytes)> {
    let mut seen = Vec::with_capacity(PREFACE.len());
    loop {
        if let Some(version) = version_of(&seen) {
            return Ok((version, seen.into()));
        }
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 {
            return Ok((Version::Http1, seen.into()));
        }
        seen.extend_from_slice(&byte);
    }
}

/// `None`: more bytes are needed.
fn version_of(seen: &[u8]) -> Option<Version> {
    if seen.starts_with(PREFACE) {
        Some(Version::Http2)
    } else if PREFACE.starts_with(seen) {
        None
    } else {
        Some(Version::Http1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_preface_begins_like_the_preface() {
        assert_eq!(version_of(b""), None);
        assert_eq!(version_of(b"PR"), None);
        assert_eq!(version_of(b"PRI "), Some(Version::Http2));
        assert_eq!(version_of(b"PRIN"), Some(Version::Http1));
        assert_eq!(version_of(b"PUT "), Some(Version::Http1));
        assert_eq!(version_of(b"G"), Some(Version::Http1));
    }
}
