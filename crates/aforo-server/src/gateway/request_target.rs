//! Where a request points to, as the client writes it and as the upstream reads it.

use std::mem;

use http::header::HOST;
use http::request::Parts;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, HeaderValue, Request, Uri, Version};

use super::problem::Problem;
use super::upstream::{Protocol, Target};

/// Sees to it that the request names one host, in its Host field (RFC 9112 §3.2: an absolute
/// target wins over the field; none or several get 400).
pub(super) fn settle_host(head: &mut Parts) -> Result<(), Problem> {
    let mut lines = head.headers.get_all(HOST).iter();
    let (first, second) = (lines.next(), lines.next());
    if second.is_some() {
        return Err(Problem::BadHost);
    }
    match (head.uri.authority(), first) {
        (Some(authority), _) => {
            let host = host_field(without_user(authority))?;
            head.headers.insert(HOST, host);
            Ok(())
        }
        (None, Some(_)) => Ok(()),
        (None, None) if head.version == Version::HTTP_10 => Ok(()),
        (None, None) => Err(Problem::BadHost),
    }
}

/// Writes the target as `upstream` reads it: origin form for HTTP/1.1, complete for HTTP/2. Gives
/// the target as it was, if it had to change.
pub(super) fn point_at<B>(
    request: &mut Request<B>,
    upstream: &Target,
    protocol: Protocol,
) -> Result<Option<Uri>, Problem> {
    match protocol {
        Protocol::Http1 => origin_form(request, upstream),
        Protocol::Http2 => complete(request, upstream).map(Some),
    }
}

/// Undoes [`point_at`], so that another upstream can be tried.
pub(super) fn point_back<B>(request: &mut Request<B>, original: Option<Uri>) {
    let Some(original) = original else { return };
    let written = mem::replace(request.uri_mut(), original);
    let asked = written.authority().map(Authority::as_str).map(host_field);
    if let Some(Ok(host)) = asked {
        request.headers_mut().insert(HOST, host);
    }
}

fn origin_form<B>(request: &mut Request<B>, upstream: &Target) -> Result<Option<Uri>, Problem> {
    *request.version_mut() = Version::HTTP_11;
    if !request.headers().contains_key(HOST) {
        let host = host_field(upstream.authority.as_str())?;
        request.headers_mut().insert(HOST, host);
    }
    if request.uri().authority().is_none() && upstream.base_path.is_empty() {
        return Ok(None);
    }
    let written = Uri::from(path_below(request.uri(), &upstream.base_path)?);
    Ok(Some(mem::replace(request.uri_mut(), written)))
}

fn complete<B>(request: &mut Request<B>, upstream: &Target) -> Result<Uri, Problem> {
    let mut parts = http::uri::Parts::default();
    parts.scheme = Some(Scheme::HTTP);
    parts.authority = Some(asked_authority(request.headers(), upstream)?);
    parts.path_and_query = Some(path_below(request.uri(), &upstream.base_path)?);
    let written = Uri::from_parts(parts).map_err(|_invalid| Problem::BadHost)?;
    *request.version_mut() = Version::HTTP_2;
    request.headers_mut().remove(HOST);
    Ok(mem::replace(request.uri_mut(), written))
}

fn asked_authority(headers: &HeaderMap, upstream: &Target) -> Result<Authority, Problem> {
    let Some(host) = headers.get(HOST) else {
        return Ok(upstream.authority.clone());
    };
    Authority::try_from(host.as_bytes()).map_err(|_invalid| Problem::BadHost)
}

fn path_below(uri: &Uri, base: &str) -> Result<PathAndQuery, Problem> {
    let path_and_query = uri.path_and_query();
    if base.is_empty() {
        let root = || PathAndQuery::from_static("/");
        return Ok(path_and_query.cloned().unwrap_or_else(root));
    }
    let below = path_and_query.map_or("/", PathAndQuery::as_str);
    PathAndQuery::try_from([base, below].concat()).map_err(|_invalid| Problem::BadHost)
}

fn host_field(host: &str) -> Result<HeaderValue, Problem> {
    HeaderValue::try_from(host).map_err(|_invalid| Problem::BadHost)
}

fn without_user(authority: &Authority) -> &str {
    let whole = authority.as_str();
    whole.rsplit_once('@').map_or(whole, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(uri: &str, hosts: &[&'static str]) -> Request<()> {
        let mut request = Request::get(uri);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        request.body(()).unwrap()
    }

    fn target(uri: &str) -> Target {
        Target::new(&uri.parse().unwrap()).unwrap()
    }

    #[test]
    fn one_host_is_needed() {
        let settled = |hosts: &[&'static str], version| {
            let (mut head, ()) = request("/", hosts).into_parts();
            head.version = version;
            settle_host(&mut head)
        };
        assert_eq!(settled(&["a"], Version::HTTP_11), Ok(()));
        assert_eq!(settled(&[], Version::HTTP_11), Err(Problem::BadHost));
        let twice = settled(&["a", "a"], Version::HTTP_11);
        assert_eq!(twice, Err(Problem::BadHost));
        assert_eq!(settled(&[], Version::HTTP_10), Ok(()));
    }

    #[test]
    fn an_absolute_target_wins_over_the_field() {
        let (mut head, ()) = request("http://user@b:1/x?y", &["a"]).into_parts();
        settle_host(&mut head).unwrap();
        let mut absolute = Request::from_parts(head, ());
        assert_eq!(absolute.headers()[HOST], "b:1");
        point_at(&mut absolute, &target("http://app"), Protocol::Http1).unwrap();
        assert_eq!(absolute.uri(), "/x?y");
    }

    #[test]
    fn a_base_path_is_put_before_the_path_once() {
        let mut here = request("/x?y", &["a"]);
        for _ in 0..2 {
            let original = point_at(&mut here, &target("http://app/base"), Protocol::Http1);
            assert_eq!(here.uri(), "/base/x?y");
            point_back(&mut here, original.unwrap());
        }
        assert_eq!(here.uri(), "/x?y");
    }

    #[test]
    fn http_2_gets_the_host_in_its_target() {
        let mut here = request("/x", &["a:8"]);
        let original = point_at(&mut here, &target("h2c://app"), Protocol::Http2).unwrap();
        assert_eq!(here.uri(), "http://a:8/x");
        assert!(here.headers().is_empty());
        point_back(&mut here, original);
        assert_eq!(here.uri(), "/x");
        assert_eq!(here.headers()[HOST], "a:8");
        let mut bad = request("/x", &["a b"]);
        let refused = point_at(&mut bad, &target("h2c://app"), Protocol::Http2);
        assert_eq!(refused, Err(Problem::BadHost));
    }
}
