//! Descriptors read as what a request says, where the file has none of their domain.

use std::net::{IpAddr, SocketAddr};

use aforo_policy::DescriptorEntry;
use http::{HeaderName, HeaderValue, Method, Request, Uri};

/// A request and its client.
pub(super) type OfClient<'r> = (Request<Option<&'r [u8]>>, SocketAddr);

/// Why descriptors are no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotARequest {
    /// Nobody says who the client is.
    NoAddress,
    /// Two descriptors say two things of one.
    Contradictory,
    /// The client wrote what no request may say.
    Malformed,
}

/// A request that has said so much.
#[derive(Default)]
struct Said<'r> {
    method: Option<&'r str>,
    path: Option<&'r str>,
    host: Option<&'r str>,
    address: Option<&'r str>,
    headers: Vec<(&'r str, &'r str)>,
}

/// The request that the entries of its descriptors tell of, and its client.
///
/// `method`, `path`, `host` (or `:method`, `:path`, `:authority`) and `remote_address` are those;
/// any other key is the header of that name.
pub(super) fn request<'r>(entries: &[DescriptorEntry<'r>]) -> Result<OfClient<'r>, NotARequest> {
    let mut said = Said::default();
    for DescriptorEntry { key, value } in entries {
        match *key {
            "method" | ":method" => once(&mut said.method, value)?,
            "path" | ":path" => once(&mut said.path, value)?,
            "host" | ":authority" => once(&mut said.host, value)?,
            "remote_address" => once(&mut said.address, value)?,
            header => said.header(header, value)?,
        }
    }
    let address = said.address.ok_or(NotARequest::NoAddress)?;
    let address: IpAddr = address.parse().map_err(|_| NotARequest::NoAddress)?;
    Ok((said.request()?, SocketAddr::new(address, 0)))
}

fn once<'r>(known: &mut Option<&'r str>, value: &'r str) -> Result<(), NotARequest> {
    match known {
        Some(known) if *known != value => Err(NotARequest::Contradictory),
        _ => {
            *known = Some(value);
            Ok(())
        }
    }
}

impl<'r> Said<'r> {
    fn header(&mut self, name: &'r str, value: &'r str) -> Result<(), NotARequest> {
        let known = self.headers.iter().find(|(known, _)| *known == name);
        match known {
            Some((_, known)) if *known != value => Err(NotARequest::Contradictory),
            Some(_) => Ok(()),
            None => {
                self.headers.push((name, value));
                Ok(())
            }
        }
    }

    fn request(self) -> Result<Request<Option<&'r [u8]>>, NotARequest> {
        let mut request = Request::new(None);
        let method = self.method.unwrap_or("GET").as_bytes();
        *request.method_mut() = Method::from_bytes(method).map_err(|_| NotARequest::Malformed)?;
        let path = self.path.unwrap_or("/");
        *request.uri_mut() = Uri::try_from(path).map_err(|_| NotARequest::Malformed)?;
        let host = self.host.map(|host| ("host", host));
        for (name, value) in self.headers.into_iter().chain(host) {
            // A key that is no header's name is one that Envoy's configuration made up.
            let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
                continue;
            };
            let value = HeaderValue::from_str(value).map_err(|_| NotARequest::Malformed)?;
            let _full = request.headers_mut().try_insert(name, value);
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: &[(&str, &str)]) -> Result<(String, String, String), NotARequest> {
        let entries: Vec<DescriptorEntry<'_>> = entries
            .iter()
            .map(|&(key, value)| DescriptorEntry { key, value })
            .collect();
        let (request, peer) = request(&entries)?;
        let key = request.headers().get("x-api-key");
        let key = key.map_or("", |key| key.to_str().unwrap());
        Ok((
            format!("{} {}", request.method(), request.uri()),
            peer.to_string(),
            key.to_owned(),
        ))
    }

    #[test]
    fn entries_are_what_a_request_says() {
        let entries = [
            ("remote_address", "192.0.2.1"),
            (":method", "POST"),
            ("path", "/a?b=c"),
            ("X-Api-Key", "k"),
            ("remote_address", "192.0.2.1"),
            ("not a header", "x"),
        ];
        let request = of(&entries).unwrap();
        let expected = ("POST /a?b=c", "192.0.2.1:0", "k");
        assert_eq!(
            (request.0.as_str(), request.1.as_str(), request.2.as_str()),
            expected
        );
        let least = of(&[("remote_address", "2001:db8::1")]).unwrap();
        assert_eq!(
            (least.0.as_str(), least.1.as_str()),
            ("GET /", "[2001:db8::1]:0")
        );
    }

    #[test]
    fn what_is_no_request_is_said() {
        let here = ("remote_address", "192.0.2.1");
        assert_eq!(of(&[("path", "/")]), Err(NotARequest::NoAddress));
        assert_eq!(
            of(&[("remote_address", "unix")]),
            Err(NotARequest::NoAddress)
        );
        for two in [
            ("path", "/a"),
            ("x-api-key", "a"),
            ("remote_address", "::1"),
        ] {
            let other = (two.0, "/b");
            assert_eq!(of(&[two, other, here]), Err(NotARequest::Contradictory));
        }
        assert_eq!(
            of(&[here, ("path", "/\u{7f}")]),
            Err(NotARequest::Malformed)
        );
        assert_eq!(
            of(&[here, ("x-api-key", "a\nb")]),
            Err(NotARequest::Malformed)
        );
    }
}
