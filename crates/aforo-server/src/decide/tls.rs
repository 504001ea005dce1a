//! TLS of the listeners, with client certificates where the file asks for them.

use std::path::Path;
use std::sync::Arc;

use aforo_policy::Tls;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem};
use tokio_rustls::TlsAcceptor;

use crate::gateway::TlsError;

/// What accepts TLS connections; those without a certificate of `client_ca` are turned away.
pub(super) fn acceptor(tls: &Tls, client_ca: Option<&Path>) -> Result<TlsAcceptor, TlsError> {
    let chain = certificates(&tls.cert)?;
    let key =
        PrivateKeyDer::from_pem_file(&tls.key).map_err(|source| unreadable(&tls.key, source))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let config = match client_ca {
        None => config.with_no_client_auth(),
        Some(path) => {
            let mut authorities = RootCertStore::empty();
            for certificate in certificates(path)? {
                authorities.add(certificate)?;
            }
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), provider)
                    .build()
                    .map_err(|error| rustls::Error::General(error.to_string()))?;
            config.with_client_cert_verifier(verifier)
        }
    };
    let config = config.with_single_cert(chain, key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
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
