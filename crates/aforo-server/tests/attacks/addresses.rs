//! A stranger that says it comes from elsewhere.

use crate::support::{Program, RawClient};
use crate::{FIVE, admitted, gateway, get, text};

/// Fields in which some proxy or other tells an address.
const TELLING: [&str; 14] = [
    "x-forwarded-for",
    "x-real-ip",
    "forwarded",
    "true-client-ip",
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "fastly-client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-originating-ip",
    "x-remote-addr",
    "x-appengine-user-ip",
    "x-envoy-external-address",
    "client-ip",
];

fn value(field: &str, host: usize) -> String {
    match field {
        "forwarded" => format!("for=203.0.113.{host}"),
        _ => format!("203.0.113.{host}"),
    }
}

#[test]
fn addresses_that_nobody_trusted_tells_are_not_believed() {
    let program = gateway("", "");
    let told = TELLING.iter().enumerate();
    let requests = told.map(|(host, field)| get(&format!("{field}: {}\r\n", value(field, host))));
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn all_of_them_at_once_are_not_believed_either() {
    let program = gateway("", "");
    let requests = (0..20).map(|host| {
        let lines = TELLING.map(|field| format!("{field}: {}\r\n", value(field, host)));
        get(&lines.concat())
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn behind_a_trusted_proxy_only_its_own_entry_counts() {
    let program = gateway("trusted_proxies = [\"loopback\"]", "");
    let requests = (0..20).map(|host| {
        let one_line = format!("x-forwarded-for: 203.0.113.{host}, 198.51.100.7\r\n");
        let two_lines = format!(
            "x-forwarded-for: 203.0.113.{host}\r\nX-Forwarded-For: 198.51.100.7:{host}\r\n"
        );
        let other = format!("forwarded: for=203.0.113.{host}\r\nx-forwarded-for: 198.51.100.7\r\n");
        get(match host % 3 {
            0 => &one_line,
            1 => &two_lines,
            _ => &other,
        })
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn addresses_of_one_ipv6_network_are_one_caller() {
    let program = Program::with_file(&text("[::1]:0", "trusted_proxies = [\"::1\"]", ""));
    let address = (std::net::Ipv6Addr::LOCALHOST, program.address().port()).into();
    let requests = (0..20).map(|host| {
        let spelled = match host % 3 {
            0 => format!("2001:db8:1:1::{host:x}"),
            1 => format!("[2001:DB8:1:1:0:0:{host:x}:1]:{}", 1000 + host),
            _ => format!("2001:db8:1:1:ffff:{host:x}::%eth0"),
        };
        get(&format!("x-forwarded-for: {spelled}\r\n"))
    });
    assert_eq!(admitted(&mut RawClient::connect(address), requests), FIVE);
}

#[test]
fn a_field_that_connection_names_opens_no_bucket() {
    let program = gateway("trusted_proxies = [\"loopback\"]", "");
    let requests = (0..20).map(|host| {
        get(&format!(
            "connection: x-forwarded-for, x-hop-{host}\r\nx-forwarded-for: 198.51.100.7\r\nx-hop-{host}: 1\r\n"
        ))
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}
