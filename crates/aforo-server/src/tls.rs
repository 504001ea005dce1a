//! TLS of listeners.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aforo_policy::Tls;
use rustls::crypto::CryptoProvider;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};
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
    /// A PEM file holds something else.
    #[error("{path} holds no certificate; expected those of the authorities of clients")]
    NoAuthorities { path: PathBuf },
    /// Certificate and key do not make a server.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// What clients show of themselves; the path is the PEM file with their authorities.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clients<'a> {
    /// Nothing.
    Unasked,
    /// A certificate, if they have one.
    Asked(&'a Path),
    /// A certificate, or they are turned away.
    Certified(&'a Path),
}

/// What accepts TLS connections. `protocols` are told in this order (ALPN).
pub(crate) fn acceptor(
    tls: &Tls,
    clients: Clients<'_>,
    protocols: &[&[u8]],
) -> Result<TlsAcceptor, TlsError> {
    let chain = certificates(&tls.cert)?;
    let key =
        PrivateKeyDer::from_pem_file(&tls.key).map_err(|source| unreadable(&tls.key, source))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = verifier(clients, &provider)?;
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = match verifier {
        None => config.with_no_client_auth(),
        Some(verifier) => config.with_client_cert_verifier(verifier),
    };
    let mut config = config.with_single_cert(chain, key)?;
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// What checks the certificates of clients, when they are asked for one.
fn verifier(
    clients: Clients<'_>,
    provider: &Arc<CryptoProvider>,
) -> Result<Option<Arc<dyn ClientCertVerifier>>, TlsError> {
    let (path, optional) = match clients {
        Clients::Unasked => return Ok(None),
        Clients::Asked(path) => (path, true),
        Clients::Certified(path) => (path, false),
    };
    let mut authorities = RootCertStore::empty();
    for certificate in certificates(path)? {
        authorities.add(certificate)?;
    }
    if authorities.is_empty() {
        let path = path.to_owned();
        return Err(TlsError::NoAuthorities { path });
    }
    let authorities = Arc::new(authorities);
    let builder = WebPkiClientVerifier::builder_with_provider(authorities, Arc::clone(provider));
    let builder = match optional {
        true => builder.allow_unauthenticated(),
        false => builder,
    };
    let verifier = builder.build();
    Ok(Some(verifier.map_err(|error| {
        rustls::Error::General(error.to_string())
    })?))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: pem::Error) -> TlsError {
    let path = path.to_owned();
    TlsError::Unreadable { path, source }
}
