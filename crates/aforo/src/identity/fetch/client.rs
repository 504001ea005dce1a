//! A small HTTP client for one endpoint: HTTP/1.1, connections kept open, answers bounded. Several
//! hosts, redirects, proxies and cookies, for which one would take a larger one, do not come up.

use std::sync::{Arc, Mutex, PoisonError};

use ::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use ::http::{Method, Request, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::identity::LookupError;

/// The most bytes of an answer that are read.
const MOST_ANSWER: usize = 512 * 1024;
/// Connections that are kept open.
const MOST_IDLE: usize = 16;

/// Asks one endpoint.
pub(crate) struct Client {
    uri: Uri,
    host: String,
    port: u16,
    authority: HeaderValue,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    bearer: Option<HeaderValue>,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

/// Why an endpoint cannot be asked at all.
#[derive(Debug, Error)]
pub(crate) enum FetchError {
    #[error("{0} is not the address of an endpoint")]
    Address(Uri),
    #[error("the token for {0} holds a line break or another control character")]
    Token(Uri),
    #[error("the system has no certificates to trust, which {0} needs")]
    NoRoots(Uri),
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

impl Client {
    /// A client of an endpoint, `http` or `https`. It connects when it is first asked.
    pub(crate) fn new(uri: &Uri, token: Option<&str>) -> Result<Self, FetchError> {
        let address = || FetchError::Address(uri.clone());
        let host = uri.host().ok_or_else(address)?;
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        let authority = uri.authority().ok_or_else(address)?;
        let bearer = match token {
            Some(token) => {
                let value = HeaderValue::try_from(format!("Bearer {token}"));
                let mut value = value.map_err(|_| FetchError::Token(uri.clone()))?;
                value.set_sensitive(true);
                Some(value)
            }
            None => None,
        };
        let tls = match uri.scheme_str() {
            Some("https") => {
                let name = ServerName::try_from(host.clone()).map_err(|_| address())?;
                Some((connector(uri)?, name))
            }
            _ => None,
        };
        let usual = if tls.is_some() { 443 } else { 80 };
        Ok(Self {
            port: uri.port_u16().unwrap_or(usual),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| address())?,
            host,
            tls,
            bearer,
            idle: Mutex::default(),
            uri: uri.clone(),
        })
    }

    /// The status and the body of an answer. With a body, JSON is posted; without one, it is a GET.
    pub(crate) async fn ask(
        &self,
        body: Option<Bytes>,
    ) -> Result<(StatusCode, Bytes), LookupError> {
        // A connection that was kept may have been closed at the other end meanwhile.
        if let Some(kept) = self.kept()
            && let Ok(answer) = self.ask_on(kept, body.clone()).await
        {
            return Ok(answer);
        }
        let connection = self.connect().await?;
        self.ask_on(connection, body).await
    }

    fn kept(&self) -> Option<SendRequest<Full<Bytes>>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(connection) = idle.pop() {
            if connection.is_ready() {
                return Some(connection);
            }
        }
        None
    }

    fn keep(&self, connection: SendRequest<Full<Bytes>>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE && !connection.is_closed() {
            idle.push(connection);
        }
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, LookupError> {
        let stream = TcpStream::connect((self.host.as_str(), self.port))
            .await
            .map_err(unavailable)?;
        // Small messages back and forth.
        let _ = stream.set_nodelay(true);
        match &self.tls {
            None => handshake(TokioIo::new(stream)).await,
            Some((tls, name)) => {
                let stream = tls
                    .connect(name.clone(), stream)
                    .await
                    .map_err(unavailable)?;
                handshake(TokioIo::new(stream)).await
            }
        }
    }

    async fn ask_on(
        &self,
        mut connection: SendRequest<Full<Bytes>>,
        body: Option<Bytes>,
    ) -> Result<(StatusCode, Bytes), LookupError> {
        let request = self.request(body)?;
        let answer = connection
            .send_request(request)
            .await
            .map_err(unavailable)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MOST_ANSWER)
            .collect()
            .await;
        let body = body.map_err(|error| LookupError::Misunderstood(error.to_string()))?;
        if connection.ready().await.is_ok() {
            self.keep(connection);
        }
        Ok((status, body.to_bytes()))
    }

    fn request(&self, body: Option<Bytes>) -> Result<Request<Full<Bytes>>, LookupError> {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::builder()
            .uri(path)
            .header(HOST, &self.authority)
            .header(ACCEPT, "application/json");
        if let Some(bearer) = &self.bearer {
            request = request.header(AUTHORIZATION, bearer);
        }
        let request = match body {
            Some(body) => request
                .method(Method::POST)
                .header(CONTENT_TYPE, "application/json")
                .body(Full::new(body)),
            None => request.method(Method::GET).body(Full::default()),
        };
        request.map_err(|error| LookupError::Unavailable(error.to_string()))
    }
}

async fn handshake<S>(stream: TokioIo<S>) -> Result<SendRequest<Full<Bytes>>, LookupError>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = http1::handshake(stream).await.map_err(unavailable)?;
    tokio::spawn(async move {
        // How it ends shows to whoever waits for an answer.
        let _ = connection.await;
    });
    Ok(sender)
}

fn unavailable(error: impl std::error::Error) -> LookupError {
    LookupError::Unavailable(error.to_string())
}

/// TLS that trusts what the system trusts (and `SSL_CERT_FILE`).
fn connector(uri: &Uri) -> Result<TlsConnector, FetchError> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(FetchError::NoRoots(uri.clone()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
