//! One address of a forwarding header.

use std::net::{IpAddr, Ipv6Addr};
use std::str::from_utf8;

/// The address of one entry: without port, brackets and zone id. `None`: garbage, `unknown`, or an
/// obfuscated name.
pub(super) fn address(entry: &[u8]) -> Option<IpAddr> {
    let entry = from_utf8(entry).ok()?.trim_matches([' ', '\t']);
    if let Some(bracketed) = entry.strip_prefix('[') {
        let (inside, after) = bracketed.split_once(']')?;
        return (after.is_empty() || is_port(after)).then(|| ipv6(inside))?;
    }
    match entry.find(':') {
        None => entry.parse().ok().filter(IpAddr::is_ipv4),
        Some(colon) => {
            let (before, port) = entry.split_at_checked(colon)?;
            match before.parse() {
                Ok(ipv4) => is_port(port).then_some(IpAddr::V4(ipv4)),
                Err(_) => ipv6(entry),
            }
        }
    }
}

/// An IPv6 address, with or without a zone id.
fn ipv6(text: &str) -> Option<IpAddr> {
    let address = match text.split_once('%') {
        Some((_, "")) => return None,
        Some((address, _)) => address,
        None => text,
    };
    address.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
}

/// `:` and a port, in digits or obfuscated (RFC 7239, section 6).
fn is_port(text: &str) -> bool {
    let Some(port) = text.strip_prefix(':') else {
        return false;
    };
    match port.strip_prefix('_') {
        Some(name) => !name.is_empty() && name.bytes().all(is_obfuscated),
        None => matches!(port.len(), 1..=5) && port.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

const fn is_obfuscated(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        address(text.as_bytes()).map(|address| address.to_string())
    }

    #[test]
    fn ports_brackets_and_zones_are_stripped() {
        let cases = [
            ("192.0.2.1", "192.0.2.1"),
            (" 192.0.2.1\t", "192.0.2.1"),
            ("192.0.2.1:443", "192.0.2.1"),
            ("192.0.2.1:_hidden.1", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:8080", "2001:db8::1"),
            ("fe80::1%eth0", "fe80::1"),
            ("[fe80::1%eth0]:80", "fe80::1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn garbage_is_no_address() {
        for text in [
            "",
            "unknown",
            "_hidden",
            "not-an-ip-4711",
            "192.0.2",
            "192.0.2.256",
            "0300.0.2.1",
            "192.0.2.1:",
            "192.0.2.1:port",
            "192.0.2.1:123456",
            "192.0.2.1 192.0.2.2",
            "[192.0.2.1]",
            "[2001:db8::1",
            "[2001:db8::1]x",
            "[2001:db8::1]:",
            "2001:db8::1]",
            "fe80::1%",
            "\"192.0.2.1\"",
            "1:2:3:4:5:6:7:8:9",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(address(b"192.0.2.\xff"), None);
    }
}
