//! The forwarding headers that go upstream.

use std::net::IpAddr;
use std::sync::Arc;

use ::http::header::FORWARDED;
use ::http::uri::Scheme;
use ::http::{HeaderMap, HeaderName, HeaderValue};
use aforo_policy::{ForwardedHeader, Identity};
use smallvec::SmallVec;

use super::ClientAddress;
use super::address::X_FORWARDED_FOR;
use super::told::{Told, X_FORWARDED_HOST, X_FORWARDED_PROTO};

/// Headers that products read a client address from, beside `Forwarded` and `X-Forwarded*`.
const OTHERS: [&str; 24] = [
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "cf-pseudo-ipv4",
    "client-ip",
    "cluster-client-ip",
    "do-connecting-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "forwarded-for",
    "proxy-client-ip",
    "true-client-ip",
    "wl-proxy-client-ip",
    "x-appengine-user-ip",
    "x-azure-clientip",
    "x-azure-socketip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-envoy-external-address",
    "x-nf-client-connection-ip",
    "x-original-forwarded-for",
    "x-originating-ip",
    "x-proxyuser-ip",
    "x-real-ip",
    "x-remote-addr",
];

/// What the last request of a connection was told to be forwarded for. Most requests of a
/// connection are told the same, so that nothing has to be written anew.
#[derive(Debug, Default)]
pub struct Forwarding {
    told: Option<Arc<Told>>,
}

impl Forwarding {
    /// Rewrites the forwarding headers of a request that goes upstream, so that none of them says
    /// what a stranger wrote. `scheme` is how the request came to us, `host` what it asked for.
    ///
    /// - `X-Forwarded-For` holds the client address alone, so that an application that takes the
    ///   left end, the right end or any hop finds the same.
    /// - `X-Forwarded-Proto` is kept from a trusted peer (it ended the TLS), otherwise `scheme`.
    /// - `X-Forwarded-Host` is `host`; `Forwarded` (RFC 7239) says the same three.
    /// - A configured header with a single address holds the client address when a trusted peer
    ///   sent it.
    /// - Every other forwarding header is removed: all other `X-Forwarded*`, `X-Real-IP`,
    ///   `True-Client-IP`, `CF-Connecting-IP` and their like, also spelled with underscores, which
    ///   CGI and WSGI cannot tell from hyphens.
    /// - The header of an authenticating peer (`verified_header`) is removed unless a trusted peer
    ///   sent it, for the same reason.
    pub fn rewrite(
        &mut self,
        headers: &mut HeaderMap,
        client: &ClientAddress,
        scheme: &Scheme,
        host: Option<&HeaderValue>,
        identity: &Identity,
    ) {
        if let Some(told) = self.rewrite_apart(headers, client, scheme, host, identity) {
            told.insert_into(headers);
        }
    }

    /// The same, but `X-Forwarded-For`, `-Proto`, `-Host` and `Forwarded` are only taken out:
    /// what is told in them has still to be put in, as fields or as lines. `None` when nothing
    /// can be told.
    pub fn rewrite_apart(
        &mut self,
        headers: &mut HeaderMap,
        client: &ClientAddress,
        scheme: &Scheme,
        host: Option<&HeaderValue>,
        identity: &Identity,
    ) -> Option<&Arc<Told>> {
        let told_scheme = told_scheme(headers, client);
        let scheme = told_scheme.as_ref().unwrap_or(scheme);
        let told_single = match &identity.forwarded_header {
            ForwardedHeader::Single(name) if client.peer_trusted && headers.contains_key(name) => {
                Some(name)
            }
            _ => None,
        };
        remove(headers, client, identity);
        if let Some(name) = identity
            .verified_header
            .as_ref()
            .filter(|name| is_told(name))
        {
            headers.remove(name);
        }

        let told = self.told(client.address, scheme, host)?;
        if let Some(name) = told_single.filter(|name| !is_told(name)) {
            headers.insert(name.clone(), told.address_value().clone());
        }
        Some(told)
    }

    /// What is told of this request; `None` cannot be, since nothing of it breaks a value.
    fn told(
        &mut self,
        address: IpAddr,
        scheme: &Scheme,
        host: Option<&HeaderValue>,
    ) -> Option<&Arc<Told>> {
        let is_same = |told: &Arc<Told>| told.is_of(address, scheme, host);
        if !self.told.as_ref().is_some_and(is_same) {
            self.told = Told::new(address, scheme, host).map(Arc::new);
        }
        self.told.as_ref()
    }
}

/// Whether what is told takes this name anyway.
fn is_told(name: &HeaderName) -> bool {
    [
        X_FORWARDED_FOR,
        X_FORWARDED_PROTO,
        X_FORWARDED_HOST,
        FORWARDED,
    ]
    .contains(name)
}

/// The scheme that a trusted peer says the client used.
fn told_scheme(headers: &HeaderMap, client: &ClientAddress) -> Option<Scheme> {
    if !client.peer_trusted {
        return None;
    }
    let mut lines = headers.get_all(X_FORWARDED_PROTO).iter();
    let line = lines.next()?;
    match (line.as_bytes(), lines.next()) {
        (b"https", None) => Some(Scheme::HTTPS),
        (b"http", None) => Some(Scheme::HTTP),
        _ => None,
    }
}

/// Removes every header that may speak of where a request comes from or who sent it.
fn remove(headers: &mut HeaderMap, client: &ClientAddress, identity: &Identity) {
    let verified = identity.verified_header.as_ref();
    let single = match &identity.forwarded_header {
        ForwardedHeader::Single(name) => Some(name),
        _ => None,
    };
    let named = |name: &HeaderName, other: Option<&HeaderName>| {
        other.is_some_and(|other| same(name.as_str(), other.as_str()))
    };
    let is_unwanted = |name: &&HeaderName| {
        if named(name, verified) {
            return !client.peer_trusted || verified != Some(name);
        }
        is_forwarding(name.as_str()) || named(name, single)
    };
    let unwanted: SmallVec<[HeaderName; 8]> = match headers.keys().any(|name| is_unwanted(&name)) {
        true => headers.keys().filter(is_unwanted).cloned().collect(),
        false => return,
    };
    for name in unwanted {
        headers.remove(name);
    }
}

/// Whether a header speaks of where a request comes from.
fn is_forwarding(name: &str) -> bool {
    // The first letters of all of them: most names are looked at no further.
    if !name.starts_with(['c', 'd', 'f', 'p', 't', 'w', 'x']) {
        return false;
    }
    let start = name.get(..11).unwrap_or_default();
    same(start, "x-forwarded")
        || same(name, "forwarded")
        || OTHERS.iter().any(|other| same(name, other))
}

/// Whether two lower-case names are the same to CGI: `_` counts as `-`.
fn same(name: &str, other: &str) -> bool {
    let hyphened = |byte: u8| if byte == b'_' { b'-' } else { byte };
    name.len() == other.len()
        && name
            .bytes()
            .zip(other.bytes())
            .all(|(one, two)| hyphened(one) == hyphened(two))
}

#[cfg(test)]
mod tests {
    use aforo_policy::ProxyTrust;

    use super::*;

    fn sent(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn upstream(peer: &str, headers: HeaderMap, identity: &Identity) -> Vec<String> {
        upstream_after(&mut Forwarding::default(), peer, headers, identity)
    }

    fn upstream_after(
        forwarding: &mut Forwarding,
        peer: &str,
        mut headers: HeaderMap,
        identity: &Identity,
    ) -> Vec<String> {
        let sent = headers.clone();
        let client = ClientAddress::of(peer.parse().unwrap(), &headers, identity);
        let host = headers.remove("host");
        let host = host.unwrap_or(HeaderValue::from_static("api.example.com"));
        forwarding.rewrite(&mut headers, &client, &Scheme::HTTP, Some(&host), identity);
        let mut lines: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        lines.sort();
        assert_eq!(apart(forwarding, peer, &sent, &host, identity), lines);
        lines
    }

    /// The lines of a request whose forwarding fields are written apart.
    fn apart(
        forwarding: &mut Forwarding,
        peer: &str,
        sent: &HeaderMap,
        host: &HeaderValue,
        identity: &Identity,
    ) -> Vec<String> {
        let mut headers = sent.clone();
        headers.remove("host");
        let client = ClientAddress::of(peer.parse().unwrap(), sent, identity);
        let told =
            forwarding.rewrite_apart(&mut headers, &client, &Scheme::HTTP, Some(host), identity);
        let written = String::from_utf8(told.unwrap().lines().to_vec()).unwrap();
        let fields = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
        let mut lines: Vec<_> = written
            .split_terminator("\r\n")
            .map(str::to_owned)
            .chain(fields)
            .collect();
        lines.sort();
        lines
    }

    fn trusting() -> Identity {
        Identity {
            trust: ProxyTrust::Networks(vec!["10.0.0.0/8".parse().unwrap()]),
            ..Identity::default()
        }
    }

    #[test]
    fn rl_01_nothing_a_stranger_wrote_goes_upstream() {
        let forged = sent(&[
            ("x-forwarded-for", "203.0.113.1"),
            ("x-forwarded-for", "203.0.113.2"),
            ("x_forwarded_for", "203.0.113.3"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "evil.example"),
            ("x-forwarded-port", "1"),
            ("x-forwarded", "for=203.0.113.4"),
            ("forwarded", "for=203.0.113.5"),
            ("x-real-ip", "203.0.113.6"),
            ("X-Real_IP", "203.0.113.6"),
            ("true-client-ip", "203.0.113.7"),
            ("cf-connecting-ip", "203.0.113.8"),
            ("client-ip", "203.0.113.9"),
            ("accept", "*/*"),
            ("x-forward", "kept"),
        ]);
        assert_eq!(
            upstream("198.51.100.7", forged, &Identity::default()),
            [
                "accept: */*",
                "forwarded: for=198.51.100.7;host=\"api.example.com\";proto=http",
                "x-forward: kept",
                "x-forwarded-for: 198.51.100.7",
                "x-forwarded-host: api.example.com",
                "x-forwarded-proto: http",
            ]
        );
    }

    #[test]
    fn a_trusted_peer_tells_address_and_scheme() {
        let told = sent(&[
            ("x-forwarded-for", "203.0.113.1, 2001:db8::7, 10.2.2.2"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "other.example"),
            ("x-real-ip", "203.0.113.6"),
        ]);
        assert_eq!(
            upstream("10.0.0.1", told, &trusting()),
            [
                "forwarded: for=\"[2001:db8::7]\";host=\"api.example.com\";proto=https",
                "x-forwarded-for: 2001:db8::7",
                "x-forwarded-host: api.example.com",
                "x-forwarded-proto: https",
            ]
        );
    }

    #[test]
    fn each_request_of_a_connection_is_told_for_whom_it_is() {
        let mut forwarding = Forwarding::default();
        let mut told = |lines: &[(&'static str, &str)]| {
            upstream_after(&mut forwarding, "10.0.0.1", sent(lines), &trusting()).join("; ")
        };
        let first = "forwarded: for=203.0.113.1;host=\"api.example.com\";proto=http; \
                     x-forwarded-for: 203.0.113.1; x-forwarded-host: api.example.com; \
                     x-forwarded-proto: http";
        let one = [("x-forwarded-for", "203.0.113.1")];
        assert_eq!(told(&one), first);
        assert_eq!(told(&one), first);
        let two = first.replace("203.0.113.1", "203.0.113.2");
        assert_eq!(told(&[("x-forwarded-for", "203.0.113.2")]), two);
        let other_host = first.replace("api.example.com", "b.example");
        let lines = [("x-forwarded-for", "203.0.113.1"), ("host", "b.example")];
        assert_eq!(told(&lines), other_host);
        let secure = first.replace("proto=http", "proto=https");
        let secure = secure.replace("proto: http", "proto: https");
        let lines = [
            ("x-forwarded-for", "203.0.113.1"),
            ("x-forwarded-proto", "https"),
        ];
        assert_eq!(told(&lines), secure);
    }

    #[test]
    fn a_scheme_told_twice_or_oddly_is_not_believed() {
        for lines in [
            &[
                ("x-forwarded-proto", "https"),
                ("x-forwarded-proto", "http"),
            ][..],
            &[("x-forwarded-proto", "https, http")],
            &[("x-forwarded-proto", "javascript")],
        ] {
            let lines = upstream("10.0.0.1", sent(lines), &trusting());
            assert!(
                lines.contains(&"x-forwarded-proto: http".to_owned()),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn rl_23_b_the_configured_single_header_holds_the_client_address() {
        let name = HeaderName::from_static("cf-connecting-ip");
        let identity = Identity {
            forwarded_header: ForwardedHeader::Single(name),
            ..trusting()
        };
        let told = [
            ("cf-connecting-ip", "::ffff:198.51.100.4"),
            ("cf_connecting_ip", "1.1.1.1"),
        ];
        let lines = upstream("10.0.0.1", sent(&told), &identity);
        assert!(
            lines.contains(&"cf-connecting-ip: 198.51.100.4".to_owned()),
            "{lines:?}"
        );
        assert!(
            lines.contains(&"x-forwarded-for: 198.51.100.4".to_owned()),
            "{lines:?}"
        );
        assert!(
            !lines.iter().any(|line| line.contains("1.1.1.1")),
            "{lines:?}"
        );

        let lines = upstream("192.0.2.1", sent(&told), &identity);
        assert!(
            !lines.iter().any(|line| line.starts_with("cf")),
            "{lines:?}"
        );
    }

    #[test]
    fn rl_18_a_verified_header_goes_upstream_only_from_a_trusted_peer() {
        let identity = Identity {
            verified_header: Some(HeaderName::from_static("x-consumer-id")),
            ..trusting()
        };
        let told = [("x-consumer-id", "acme"), ("x_consumer_id", "forged")];
        let ids = |peer| -> Vec<String> {
            upstream(peer, sent(&told), &identity)
                .into_iter()
                .filter(|line| line.contains("consumer"))
                .collect()
        };
        assert_eq!(ids("10.0.0.1"), ["x-consumer-id: acme"]);
        assert_eq!(ids("192.0.2.1"), [""; 0]);
    }

    #[test]
    fn every_name_in_the_list_is_found_in_both_spellings() {
        for name in OTHERS.iter().chain(&["forwarded", "x-forwarded-any"]) {
            assert!(is_forwarding(name), "{name}");
            assert!(is_forwarding(&name.replace('-', "_")), "{name}");
        }
        assert!(!is_forwarding("x-api-key"));
    }
}
