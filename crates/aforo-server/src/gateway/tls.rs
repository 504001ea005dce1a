//! TLS of the listener.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aforo_policy::Tls;
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem};
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

/// Why TLS cannot be set up.
#[derive(Debug, Error)]
pub(crate) enum TlsError {
    /// A PEM file cannot be read.
    #[error("cannot read {path}: {source}; expected a PEM file")]
    Unreadable { path: PathBuf, source: pem::Error },
    /// Certificate and key do not make a server.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// What accepts TLS connections, HTTP/2 before HTTP/1.1.
pub(super) fn acceptor(tls: &Tls) -> Result<TlsAcceptor, TlsError> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(&tls.cert)
        .and_then(Iterator::collect)
        .map_err(|source| unreadable(&tls.cert, source))?;
    let key =
        PrivateKeyDer::from_pem_file(&tls.key).map_err(|source| unreadable(&tls.key, source))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unreadable(path: &Path, source: pem::Error) -> TlsError {
    let path = path.to_owned();
    TlsError::Unreadable { path, source }
}
