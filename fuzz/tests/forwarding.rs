//! Forwarding headers: never panics, and nothing that stands left of what the trusted proxy
//! appended changes the client address.

use std::net::{IpAddr, Ipv4Addr};

use aforo::identity::ClientAddress;
use aforo_policy::{ForwardedHeader, Identity, ProxyTrust};
use http::{HeaderMap, HeaderValue};

const TOKENS: [&str; 28] = [
    ", ",
    ",",
    ";",
    "=",
    "\"",
    "for=",
    "For=",
    "proto=https",
    "by=",
    "unknown",
    "_hidden",
    "\\\"",
    "[",
    "]",
    ":",
    "%eth0",
    ":4711",
    "203.0.113.9",
    "10.0.0.3",
    "2001:db8::1",
    "::ffff:192.0.2.1",
    "64:ff9b::808:808",
    "127.0.0.1",
    "0x7f.1",
    "999.1.1.1",
    " ",
    "\t",
    "é",
];

/// The trusted peer.
const BALANCER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

fn identity(header: ForwardedHeader, hops: bool) -> Identity {
    let trust = if hops {
        ProxyTrust::Hops(1)
    } else {
        ProxyTrust::Networks("10.0.0.0/8".parse().into_iter().collect())
    };
    Identity {
        trust,
        forwarded_header: header,
        ..Identity::default()
    }
}

fn client(name: &'static str, value: &[u8], identity: &Identity) -> Option<IpAddr> {
    let mut headers = HeaderMap::new();
    headers.insert(name, HeaderValue::from_bytes(value).ok()?);
    Some(ClientAddress::of(BALANCER, &headers, identity).address)
}

#[test]
fn forwarding_is_decided_by_what_the_proxy_appended() {
    let real: IpAddr = "198.51.100.7".parse().unwrap();
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let Some((first, rest)) = bytes.split_first() else {
                return;
            };
            let typed = aforo_fuzz::sentence(&TOKENS, rest);
            let x_forwarded_for = identity(ForwardedHeader::XForwardedFor, first & 1 == 0);
            let forged = format!("{typed}, 198.51.100.7");
            if let Some(found) = client("x-forwarded-for", forged.as_bytes(), &x_forwarded_for) {
                assert_eq!(found, real, "forged by {typed:?}");
            }
            client("x-forwarded-for", typed.as_bytes(), &x_forwarded_for);
            client(
                "forwarded",
                typed.as_bytes(),
                &identity(ForwardedHeader::Forwarded, first & 1 == 0),
            );
            let single = ForwardedHeader::Single(http::HeaderName::from_static("cf-connecting-ip"));
            client(
                "cf-connecting-ip",
                typed.as_bytes(),
                &identity(single, first & 1 == 0),
            );
        });
}
