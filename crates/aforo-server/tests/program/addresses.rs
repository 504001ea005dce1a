//! Who a request is counted against, through real sockets.

use crate::support::Program;

/// A gateway that answers by itself.
fn gateway(listen: &str, identity: &str, quota: &str) -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"{listen}\"\nupstream = [\"builtin:echo\"]\n\n\
         [identity]\n{identity}\n\n[plans.anonymous]\npolicies = [\"{quota}\"]\n"
    ))
}

fn forwarded_for(addresses: &str) -> String {
    format!("x-forwarded-for: {addresses}\r\n")
}

#[test]
fn rl_01_a_stranger_cannot_name_its_own_address() {
    let program = gateway("127.0.0.1:0", "", "2/hour fixed-window");
    let mut client = program.client();
    let forged = [
        "203.0.113.1",
        "203.0.113.2",
        "203.0.113.3",
        "not-an-ip-4711",
    ];
    let statuses = forged.map(|forged| client.ask("GET", "/", &forwarded_for(forged)).status);
    assert_eq!(statuses, [200, 200, 429, 429]);
}

#[test]
fn rl_01_a_stranger_cannot_spend_what_is_another_address() {
    let program = gateway("127.0.0.1:0", "", "2/hour fixed-window");
    let mut client = program.client();
    for _ in 0..4 {
        client.ask("GET", "/", &forwarded_for("127.0.0.2"));
    }
    assert_eq!(program.client_from("127.0.0.2").get("/").status, 200);
}

#[test]
fn rl_01_behind_a_trusted_proxy_the_right_most_stranger_is_counted() {
    let trust = "trusted_proxies = [\"127.0.0.9\"]";
    let program = gateway("127.0.0.1:0", trust, "2/hour fixed-window");
    let mut proxy = program.client_from("127.0.0.9");
    let statuses = [1, 2, 3, 4].map(|random| {
        let chain = forwarded_for(&format!("203.0.113.{random}, 198.51.100.7"));
        proxy.ask("GET", "/", &chain).status
    });
    assert_eq!(statuses, [200, 200, 429, 429]);
    let seen = proxy.ask("GET", "/", &forwarded_for("198.51.100.8")).json();
    assert_eq!(seen["client"], "198.51.100.8");
}

#[test]
fn rl_06_mapped_and_plain_forms_of_an_address_are_one() {
    let trust = "trusted_proxies = [\"::1\"]";
    let program = gateway("[::]:0", trust, "1/hour fixed-window");
    let port = program.address().port();
    let over_ipv4 = |local: &str| {
        let address = ([127, 0, 0, 1], port).into();
        crate::support::RawClient::connect_from(local.parse().unwrap(), address)
    };
    // Over the dual-stack listener both peers are IPv4-mapped.
    assert_eq!(over_ipv4("127.0.0.1").get("/").status, 200);
    assert_eq!(
        over_ipv4("127.0.0.2").get("/").status,
        200,
        "a bucket of its own"
    );
    assert_eq!(over_ipv4("127.0.0.1").get("/").status, 429);
    let mut proxy = over_ipv6(port);
    for form in ["127.0.0.1", "::ffff:127.0.0.1", "[::ffff:127.0.0.2]:443"] {
        assert_eq!(
            proxy.ask("GET", "/", &forwarded_for(form)).status,
            429,
            "{form}"
        );
    }
    assert_eq!(
        proxy.ask("GET", "/", &forwarded_for("127.0.0.3")).status,
        200
    );
}

#[test]
fn rl_07_a_host_has_one_bucket_however_many_ipv6_addresses_it_has() {
    let trust = "trusted_proxies = [\"::1\"]";
    let program = gateway("[::1]:0", trust, "3/hour fixed-window");
    let mut proxy = over_ipv6(program.address().port());
    let statuses: Vec<_> = (1..=10)
        .map(|host| {
            let address = forwarded_for(&format!("2001:db8:1:1::{host:x}"));
            proxy.ask("GET", "/", &address).status
        })
        .collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429, 429, 429, 429, 429, 429]);
    let next = forwarded_for("2001:db8:1:2::1");
    assert_eq!(proxy.ask("GET", "/", &next).status, 200);
}

#[test]
fn a_real_ipv6_peer_is_counted() {
    let program = gateway("[::1]:0", "", "1/hour fixed-window");
    let mut client = over_ipv6(program.address().port());
    assert_eq!(client.get("/").json()["client"], "::1");
    assert_eq!(client.get("/").status, 429);
}

fn over_ipv6(port: u16) -> crate::support::RawClient {
    let address = (std::net::Ipv6Addr::LOCALHOST, port).into();
    crate::support::RawClient::connect(address)
}
