use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn trusting(networks: &[&str]) -> Identity {
    let networks = networks.iter().map(|net| net.parse().unwrap()).collect();
    Identity {
        trust: ProxyTrust::Networks(networks),
        ..Identity::default()
    }
}

fn hops(hops: usize) -> Identity {
    Identity {
        trust: ProxyTrust::Hops(hops),
        ..Identity::default()
    }
}

fn lines(name: &'static str, lines: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(name, HeaderValue::from_str(line).unwrap());
    }
    headers
}

fn xff(values: &[&str]) -> HeaderMap {
    lines("x-forwarded-for", values)
}

fn client(peer: &str, headers: &HeaderMap, identity: &Identity) -> String {
    ClientAddress::of(ip(peer), headers, identity)
        .address
        .to_string()
}

/// What is counted against.
fn bucket(peer: &str, headers: &HeaderMap, identity: &Identity) -> IpAddr {
    let client = ClientAddress::of(ip(peer), headers, identity);
    prefix(client.address, identity.ipv6_prefix)
}

#[test]
fn rl_01_rotated_forwarding_headers_are_one_address() {
    let forged = [
        "203.0.113.1",
        "203.0.113.2",
        "203.0.113.3",
        "not-an-ip-4711",
    ];
    for value in forged {
        assert_eq!(
            client("198.51.100.7", &xff(&[value]), &Identity::default()),
            "198.51.100.7"
        );
        let behind = xff(&[&format!("{value}, 198.51.100.7")]);
        assert_eq!(
            client("10.0.0.2", &behind, &trusting(&["10.0.0.0/8"])),
            "198.51.100.7"
        );
        let in_two_lines = xff(&[value, "198.51.100.7"]);
        assert_eq!(
            client("10.0.0.2", &in_two_lines, &trusting(&["10.0.0.0/8"])),
            "198.51.100.7"
        );
    }
}

#[test]
fn rl_01_naming_somebody_elses_address_does_not_spend_their_budget() {
    let victim = "203.0.113.50";
    let headers = [
        "x-forwarded-for",
        "forwarded",
        "x-real-ip",
        "true-client-ip",
        "cf-connecting-ip",
    ];
    for name in headers {
        let named = lines(name, &[victim]);
        assert_eq!(
            client("198.51.100.66", &named, &Identity::default()),
            "198.51.100.66",
            "{name}"
        );
    }
    let appended = xff(&["203.0.113.50, 198.51.100.66"]);
    assert_eq!(
        client("10.0.0.2", &appended, &trusting(&["10.0.0.0/8"])),
        "198.51.100.66"
    );
}

#[test]
fn rl_02_an_untrusted_balancer_is_the_caller_and_is_reported() {
    for identity in [Identity::default(), trusting(&["127.0.0.1/32"])] {
        for n in 1..=4 {
            let headers = xff(&[&format!("203.0.113.{n}")]);
            let client = ClientAddress::of(ip("172.17.0.1"), &headers, &identity);
            assert_eq!(client.address, ip("172.17.0.1"));
            assert!(client.untrusted_forwarding);
            assert!(!client.peer_trusted);
        }
    }
}

#[test]
fn rl_02_a_trusted_balancer_tells_its_clients_apart() {
    let identity = trusting(&["172.17.0.0/16"]);
    let addresses: BTreeSet<IpAddr> = (1..=4)
        .map(|n| {
            let headers = xff(&[&format!("203.0.113.{n}")]);
            let client = ClientAddress::of(ip("172.17.0.1"), &headers, &identity);
            assert!(client.peer_trusted && !client.untrusted_forwarding);
            client.address
        })
        .collect();
    let expected = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];
    assert_eq!(addresses, expected.into_iter().map(ip).collect());
}

#[test]
fn rl_06_mapped_addresses_are_ipv4_before_they_are_cut() {
    let none = HeaderMap::new();
    let identity = Identity::default();
    let first = bucket("::ffff:192.0.2.1", &none, &identity);
    let second = bucket("::ffff:198.51.100.2", &none, &identity);
    assert_ne!(first, second);
    assert_eq!(first, bucket("192.0.2.1", &none, &identity));
    assert_eq!(first, ip("192.0.2.1"));
}

#[test]
fn rl_06_a_mapped_peer_is_found_in_an_ipv4_network_and_the_reverse() {
    let headers = xff(&["203.0.113.9, ::ffff:10.1.1.1"]);
    assert_eq!(
        client("::ffff:10.0.0.2", &headers, &trusting(&["10.0.0.0/8"])),
        "203.0.113.9"
    );
    assert_eq!(
        client("10.0.0.2", &headers, &trusting(&["::ffff:10.0.0.0/104"])),
        "203.0.113.9"
    );
    assert_eq!(
        client("10.0.0.2", &headers, &trusting(&["64:ff9b::10.0.0.0/104"])),
        "203.0.113.9"
    );
}

#[test]
fn rl_07_addresses_of_one_prefix_are_one_bucket() {
    let none = HeaderMap::new();
    let identity = Identity::default();
    let mut buckets: BTreeSet<IpAddr> = (1..=10)
        .map(|n| bucket(&format!("2001:db8:1:1::{n:x}"), &none, &identity))
        .collect();
    buckets.insert(bucket("2001:db8:1:2::1", &none, &identity));
    assert_eq!(
        buckets,
        BTreeSet::from([ip("2001:db8:1:1::"), ip("2001:db8:1:2::")])
    );
}

#[test]
fn rl_07_other_prefixes_cut_where_they_say_and_ipv4_stays_whole() {
    let address = ip("2001:db8:1:1ff:aaaa:bbbb:cccc:dddd");
    assert_eq!(prefix(address, 48), ip("2001:db8:1::"));
    assert_eq!(prefix(address, 56), ip("2001:db8:1:100::"));
    assert_eq!(prefix(address, 64), ip("2001:db8:1:1ff::"));
    assert_eq!(prefix(address, 128), address);
    assert_eq!(prefix(address, 0), ip("::"));
    assert_eq!(prefix(address, 255), address);
    for length in [0, 24, 48, 64, 128] {
        assert_eq!(prefix(ip("192.0.2.1"), length), ip("192.0.2.1"));
    }
}

#[test]
fn rlx_40_translated_clients_are_told_apart_by_their_ipv4_address() {
    let none = HeaderMap::new();
    let identity = Identity::default();
    let first = bucket("64:ff9b::808:808", &none, &identity);
    assert_eq!(first, ip("8.8.8.8"));
    assert_eq!(bucket("64:ff9b::909:909", &none, &identity), ip("9.9.9.9"));
    assert_eq!(bucket("64:ff9b::808:808", &none, &identity), first);
    assert_eq!(
        bucket("64:ff9b:1::808:808", &none, &identity),
        ip("64:ff9b:1::"),
        "the local-use prefix of RFC 8215 embeds elsewhere"
    );
    let told = xff(&["64:ff9b::808:808"]);
    assert_eq!(
        client("10.0.0.1", &told, &trusting(&["10.0.0.0/8"])),
        "8.8.8.8"
    );
}

#[test]
fn rl_23_a_one_hop_takes_the_right_most_entry() {
    assert_eq!(
        client("10.0.0.1", &xff(&["203.0.113.1"]), &hops(1)),
        "203.0.113.1"
    );
    assert_eq!(
        client("10.0.0.1", &xff(&["203.0.113.9"]), &hops(1)),
        "203.0.113.9"
    );
}

#[test]
fn rl_23_b_a_header_of_the_edge_makes_the_others_mean_nothing() {
    let typed = "203.0.113.20, 10.9.9.9";
    assert_eq!(
        client("10.0.0.1", &xff(&[typed]), &hops(2)),
        "203.0.113.20",
        "counting cannot see that the edge did not append"
    );
    for trust in [
        ProxyTrust::Hops(2),
        ProxyTrust::Networks(vec!["10.0.0.0/8".parse().unwrap()]),
    ] {
        let identity = Identity {
            trust,
            forwarded_header: ForwardedHeader::Single(HeaderName::from_static("cf-connecting-ip")),
            ..Identity::default()
        };
        let mut headers = xff(&[typed]);
        assert_eq!(client("10.0.0.1", &headers, &identity), "10.0.0.1");
        headers.insert("cf-connecting-ip", HeaderValue::from_static("198.51.100.4"));
        assert_eq!(client("10.0.0.1", &headers, &identity), "198.51.100.4");
        headers.append("cf-connecting-ip", HeaderValue::from_static("198.51.100.5"));
        assert_eq!(client("10.0.0.1", &headers, &identity), "10.0.0.1");
        headers.insert(
            "cf-connecting-ip",
            HeaderValue::from_static("1.1.1.1, 2.2.2.2"),
        );
        assert_eq!(client("10.0.0.1", &headers, &identity), "10.0.0.1");
    }
}

#[test]
fn rl_23_c_fewer_entries_than_hops_give_the_peer() {
    assert_eq!(
        client("10.0.0.1", &xff(&["203.0.113.20"]), &hops(2)),
        "10.0.0.1"
    );
    assert_eq!(client("10.0.0.1", &HeaderMap::new(), &hops(2)), "10.0.0.1");
    assert_eq!(
        client("10.0.0.1", &xff(&["203.0.113.20", ", ,"]), &hops(2)),
        "10.0.0.1"
    );
    assert_eq!(
        client("10.0.0.1", &xff(&["203.0.113.20"]), &hops(0)),
        "10.0.0.1"
    );
    assert_eq!(
        client("10.0.0.1", &xff(&["203.0.113.20"]), &hops(usize::MAX)),
        "10.0.0.1"
    );
}

#[test]
fn rl_11_ten_addresses_without_the_header_are_ten_buckets() {
    let buckets: BTreeSet<IpAddr> = (1..=10)
        .map(|n| {
            bucket(
                &format!("203.0.113.{n}"),
                &HeaderMap::new(),
                &Identity::default(),
            )
        })
        .collect();
    assert_eq!(buckets.len(), 10);
}

#[test]
fn trusted_addresses_are_walked_past_over_all_lines() {
    let identity = trusting(&["10.0.0.0/8", "2001:db8:f::/48"]);
    let headers = xff(&[
        "1.1.1.1",
        "198.51.100.7:4711",
        "[2001:db8:f::1]:80, 10.3.3.3",
    ]);
    assert_eq!(client("10.0.0.1", &headers, &identity), "198.51.100.7");
    let all_trusted = xff(&["10.1.1.1, 10.2.2.2", "10.3.3.3"]);
    assert_eq!(client("10.0.0.1", &all_trusted, &identity), "10.1.1.1");
}

#[test]
fn garbage_where_an_address_is_needed_gives_the_peer() {
    let identity = trusting(&["10.0.0.0/8"]);
    for value in [
        "unknown",
        "_hidden",
        "198.51.100.7, garbage",
        "198.51.100.7, x, 10.2.2.2",
    ] {
        assert_eq!(
            client("10.0.0.1", &xff(&[value]), &identity),
            "10.0.0.1",
            "{value}"
        );
    }
    assert_eq!(
        client("10.0.0.1", &xff(&["garbage, 198.51.100.7"]), &identity),
        "198.51.100.7"
    );
    assert_eq!(
        client("10.0.0.1", &xff(&["198.51.100.7, x"]), &hops(1)),
        "10.0.0.1"
    );
}

#[test]
fn the_forwarded_header_is_read_when_it_is_the_one() {
    let identity = Identity {
        forwarded_header: ForwardedHeader::Forwarded,
        ..trusting(&["10.0.0.0/8"])
    };
    let mut headers = lines(
        "forwarded",
        &[
            "for=1.1.1.1",
            "for=\"[2001:db8::7]:4711\";proto=https, for=10.2.2.2;by=10.0.0.1",
        ],
    );
    headers.insert("x-forwarded-for", HeaderValue::from_static("203.0.113.1"));
    assert_eq!(client("10.0.0.1", &headers, &identity), "2001:db8::7");
    assert_eq!(client("192.0.2.1", &headers, &identity), "192.0.2.1");
    for malformed in [
        "for=\"198.51.100.7",
        "for=198.51.100.7, for=_x",
        "198.51.100.7",
        "proto=http",
    ] {
        let headers = lines("forwarded", &[malformed]);
        assert_eq!(
            client("10.0.0.1", &headers, &identity),
            "10.0.0.1",
            "{malformed}"
        );
    }
}

fn any_header_value() -> impl Strategy<Value = HeaderValue> {
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..64),
        "[0-9a-f.:,;=\"\\\\\\[\\]% _for]{0,64}".prop_map(String::into_bytes),
        "for=\"?[0-9.]{1,15}\"?(, ?for=\"?\\[?[0-9a-f:]{1,20}\\]?\"?)*"
            .prop_map(String::into_bytes),
    ];
    bytes.prop_filter_map("no header value", |bytes| {
        HeaderValue::from_bytes(&bytes).ok()
    })
}

fn any_header() -> impl Strategy<Value = ForwardedHeader> {
    prop_oneof![
        Just(ForwardedHeader::XForwardedFor),
        Just(ForwardedHeader::Forwarded),
        Just(ForwardedHeader::Single(HeaderName::from_static(
            "cf-connecting-ip"
        ))),
    ]
}

fn any_trust() -> impl Strategy<Value = ProxyTrust> {
    prop_oneof![
        Just(ProxyTrust::Networks(vec!["10.0.0.0/8".parse().unwrap()])),
        Just(ProxyTrust::Networks(vec![
            "0.0.0.0/0".parse().unwrap(),
            "::/0".parse().unwrap()
        ])),
        (0_usize..4).prop_map(ProxyTrust::Hops),
    ]
}

/// An entry that a proxy wrote, as the header writes it, with its address.
fn written(header: &ForwardedHeader, address: IpAddr) -> String {
    match (header, address) {
        (ForwardedHeader::Forwarded, IpAddr::V4(_)) => format!("for={address};proto=https"),
        (ForwardedHeader::Forwarded, IpAddr::V6(_)) => {
            format!("host=\"a,\\\"b\";for=\"[{address}]:1\"")
        }
        _ => address.to_string(),
    }
}

proptest! {
    #[test]
    fn no_header_makes_it_panic_and_the_answer_is_canonical(
        values in proptest::collection::vec(any_header_value(), 0..4),
        peer in any::<IpAddr>(),
        forwarded_header in any_header(),
        trust in any_trust(),
    ) {
        let name = header_name(&forwarded_header);
        let identity = Identity { trust, forwarded_header, ..Identity::default() };
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, value);
        }
        let client = ClientAddress::of(peer, &headers, &identity);
        prop_assert_eq!(canonical(client.address), client.address);
    }

    #[test]
    fn what_strangers_put_on_the_left_changes_nothing(
        strangers in proptest::collection::vec(any_header_value(), 0..3),
        on_the_same_line in any_header_value(),
        address in any::<IpAddr>(),
        proxies in 0_u8..3,
        forwarded in any::<bool>(),
    ) {
        let address = canonical(address);
        let trusted: IpNet = "10.0.0.0/8".parse().unwrap();
        prop_assume!(!trusted.contains(&address));
        let forwarded_header = if forwarded {
            ForwardedHeader::Forwarded
        } else {
            ForwardedHeader::XForwardedFor
        };
        let entries: Vec<String> = std::iter::once(address)
            .chain((0..proxies).map(|n| IpAddr::from([10, 0, 0, n])))
            .map(|address| written(&forwarded_header, address))
            .collect();
        let mut last = on_the_same_line.as_bytes().to_vec();
        last.extend_from_slice(b", ");
        last.extend_from_slice(entries.join(", ").as_bytes());

        let name = header_name(&forwarded_header);
        let mut headers = HeaderMap::new();
        for value in strangers {
            headers.append(&name, value);
        }
        headers.append(&name, HeaderValue::from_bytes(&last).unwrap());

        let hops = usize::from(proxies) + 1;
        for trust in [ProxyTrust::Networks(vec![trusted]), ProxyTrust::Hops(hops)] {
            let identity = Identity {
                trust,
                forwarded_header: forwarded_header.clone(),
                ..Identity::default()
            };
            let client = ClientAddress::of(IpAddr::from([10, 9, 9, 9]), &headers, &identity);
            prop_assert_eq!(client.address, address);
        }
    }
}
