//! A request that somebody else has.

use std::net::{IpAddr, SocketAddr};

use http::header::HOST;
use http::{HeaderMap, HeaderValue, Method, Request, Uri};
use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::Fields;

/// A request that somebody else has.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Facts {
    /// The method.
    #[serde(default = "get")]
    method: String,
    /// The path as it was sent, with its query: `/orders?limit=5`.
    path: String,
    /// The host, with or without a port.
    host: Option<String>,
    /// The address of the client. If it is one of `identity.trusted_proxies`, the forwarding header
    /// among `headers` says for whom it asks.
    #[schemars(extend("examples" = ["192.0.2.7", "2001:db8::7"]))]
    address: Option<IpAddr>,
    /// The headers, each a string or, where it came several times, a list of strings. Credentials
    /// are found in them.
    #[serde(default)]
    headers: Fields,
    /// The consumer, whom the asker has verified itself. Credentials in `headers` are then not
    /// looked at.
    consumer: Option<Consumer>,
    /// The body, for policies and costs that are read from it.
    body: Option<String>,
}

/// A consumer that the asker has verified itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Consumer {
    /// Its id.
    pub(crate) id: String,
    /// Its plan; without it what the file, the registry or the lookup says of its id.
    pub(crate) plan: Option<String>,
    /// Its team; without it likewise.
    pub(crate) team: Option<String>,
}

/// A request, taken apart from what else is known of it.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) request: Request<()>,
    pub(crate) peer: Option<SocketAddr>,
    pub(crate) consumer: Option<Consumer>,
    pub(crate) body: Option<String>,
}

impl Facts {
    /// The request.
    ///
    /// # Errors
    /// What was expected instead.
    pub(crate) fn taken(self) -> Result<Taken, &'static str> {
        let Self {
            method,
            path,
            host,
            address,
            headers,
            consumer,
            body,
        } = self;
        let uri = target(&path)?;
        let mut headers: HeaderMap = headers.0;
        if let Some(host) = host {
            let host = HeaderValue::try_from(host).map_err(|_| "`host` is not a host")?;
            headers.insert(HOST, host);
        }
        if consumer.as_ref().is_some_and(|one| one.id.is_empty()) {
            return Err("the `id` of `consumer` is empty");
        }
        let mut request = Request::new(());
        *request.method_mut() =
            Method::from_bytes(method.as_bytes()).map_err(|_| "`method` is not a method")?;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        Ok(Taken {
            request,
            peer: address.map(|address| SocketAddr::new(address, 0)),
            consumer,
            body,
        })
    }
}

/// A path with its query, as a request's target.
fn target(path: &str) -> Result<Uri, &'static str> {
    const EXPECTED: &str =
        "`path` is not a path; expected one that begins with /, encoded as it was sent";
    if !path.starts_with('/') {
        return Err(EXPECTED);
    }
    Uri::builder()
        .path_and_query(path)
        .build()
        .map_err(|_| EXPECTED)
}

fn get() -> String {
    "GET".to_owned()
}
