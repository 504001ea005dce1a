//! The fields that tell an upstream who the caller is.

use std::fmt::Write;

use aforo_policy::Caller;
use http::{HeaderMap, HeaderName, HeaderValue};

const FAMILY: &[u8] = b"x-consumer-";
const ID: HeaderName = HeaderName::from_static("x-consumer-id");
const PLAN: HeaderName = HeaderName::from_static("x-consumer-plan");
const TEAM: HeaderName = HeaderName::from_static("x-consumer-team");
const ORG: HeaderName = HeaderName::from_static("x-consumer-org");

/// Writes the fields of a verified consumer, and the plan of any caller. What the client sent
/// under these names is gone, whoever it is.
pub(super) fn write(headers: &mut HeaderMap, caller: &Caller) {
    take_sent(headers);
    let mut put = |name: HeaderName, value: Option<&str>| {
        if let Some(value) = value.and_then(field_value) {
            let _full = headers.try_insert(name, value);
        }
    };
    let consumer = caller.consumer.as_deref();
    put(ID, consumer.map(|one| one.id.as_str()));
    put(PLAN, caller.plan.as_ref().map(|plan| plan.name.as_str()));
    let team = consumer.and_then(|one| one.team.as_ref());
    put(TEAM, team.map(|team| team.name.as_str()));
    put(ORG, consumer.and_then(|one| one.org.as_deref()));
}

/// Takes away what a client sent. Servers that read fields as variables (CGI, RFC 3875) cannot tell
/// `_` from `-`.
fn take_sent(headers: &mut HeaderMap) {
    let sent: Vec<HeaderName> = headers
        .keys()
        .filter(|name| is_ours(name))
        .cloned()
        .collect();
    for name in sent {
        headers.remove(name);
    }
}

fn is_ours(name: &HeaderName) -> bool {
    let start = name.as_str().as_bytes().get(..FAMILY.len());
    start.is_some_and(|start| {
        let same = |(sent, ours): (&u8, &u8)| sent == ours || *ours == b'-' && *sent == b'_';
        start.iter().zip(FAMILY).all(same)
    })
}

/// A value as a field holds it: what is no visible ASCII, and `%`, percent-encoded.
fn field_value(value: &str) -> Option<HeaderValue> {
    let mut written = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_graphic() && byte != b'%' {
            written.push(char::from(byte));
        } else {
            write!(written, "%{byte:02X}").ok()?;
        }
    }
    HeaderValue::try_from(written).ok()
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;

    use aforo_policy::{Consumer, Credential};

    use super::*;

    fn caller(consumer: Option<&str>, org: Option<&str>) -> Caller {
        Caller {
            credential: Credential::Verified,
            consumer: consumer.map(|id| {
                Arc::new(Consumer {
                    id: id.to_owned(),
                    plan: None,
                    team: None,
                    org: org.map(str::to_owned),
                    contact: None,
                    api_key_sha256: Vec::new(),
                    overrides: Vec::new(),
                })
            }),
            ..Caller::stranger(IpAddr::V4(Ipv4Addr::LOCALHOST))
        }
    }

    fn sent(names: &[&'static str]) -> HeaderMap {
        let forged = HeaderValue::from_static("forged");
        let names = names.iter().map(|name| HeaderName::from_static(name));
        names.map(|name| (name, forged.clone())).collect()
    }

    #[test]
    fn what_a_client_sends_under_these_names_is_taken_away() {
        let names = [
            "x-consumer-id",
            "x_consumer_id",
            "x-consumer_team",
            "x-consumer-username",
        ];
        let mut headers = sent(&names);
        headers.append(ID, HeaderValue::from_static("forged twice"));
        headers.insert("x-consumers", HeaderValue::from_static("kept"));
        write(&mut headers, &caller(None, None));
        let left: Vec<_> = headers.iter().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(headers["x-consumers"], "kept");
    }

    #[test]
    fn a_verified_consumer_is_named() {
        let mut headers = sent(&["x-consumer-id", "x-consumer-plan"]);
        write(
            &mut headers,
            &caller(Some("acme"), Some("Zoë & 100%\r\nx: y")),
        );
        assert_eq!(headers["x-consumer-id"], "acme");
        assert_eq!(
            headers["x-consumer-org"],
            "Zo%C3%AB%20&%20100%25%0D%0Ax:%20y"
        );
        assert_eq!(headers.len(), 2);
    }
}
