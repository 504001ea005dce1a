//! Five million distinct addresses against a store of 100,000 keys.
//!
//! Memory stays flat, a blocked caller stays blocked, consumers are counted to the unit.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]
#![allow(clippy::print_stderr, reason = "progress goes to standard error")]

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use aforo::Limiter;
use aforo_benches::admitted;
use aforo_benches::row::{Row, Target};
use aforo_benches::{Failure, resident};
use http::HeaderMap;

/// How many addresses come by once, each of an IPv6 network of its own.
const ADDRESSES: u64 = 5_000_000;

/// After how many of them the blocked caller and one consumer ask again.
const STRIDE: u64 = 5_000;

/// After how many of them every bound is reached: from here memory has to be flat.
const FULL: u64 = 500_000;

/// How many consumers there are.
const CONSUMERS: usize = 100;

/// What a consumer may take; so slowly refilled that a run gives no unit back.
const CONSUMER_BURST: u64 = 1_000;

/// What was seen while the flood went on.
#[derive(Default)]
struct Seen {
    asked_while_blocked: u64,
    passed_while_blocked: u64,
    consumer_requests: u64,
    consumers_miscounted: u64,
    flood_passed: u64,
    resident_full: u64,
}

fn main() -> Result<(), Failure> {
    let limiter = limiter()?;
    let blocked = Ipv6Addr::new(0x2001, 0xdb8, 0xb10c, 0, 0, 0, 0, 1).into();
    while ask(&limiter, blocked, None)?.is_some() {}
    let before = resident::now()?;
    let seen = flood(&limiter, blocked)?;
    let (after, peak) = (resident::now()?, resident::peak()?);
    eprintln!("{} of {ADDRESSES} strangers passed", seen.flood_passed);
    rows(&seen, before, after, peak)
        .iter()
        .for_each(|row| println!("{row}"));
    Ok(())
}

fn limiter() -> Result<Limiter, Failure> {
    let text = format!(
        r#"[stores.default]
url = "memory"
max_keys = 100_000
[identity]
api_key = {{ header = "{field}" }}
[plans.anonymous]
policies = ["5/day burst 5"]
[plans.pro]
policies = ["{CONSUMER_BURST}/day burst {CONSUMER_BURST}"]
{consumers}"#,
        field = admitted::FIELD,
        consumers = admitted::consumers(CONSUMERS)?,
    );
    admitted::limiter("bench-flood.toml", &text)
}

fn flood(limiter: &Limiter, blocked: IpAddr) -> Result<Seen, Failure> {
    let mut seen = Seen::default();
    for number in 0..ADDRESSES {
        if ask(limiter, stranger(number), None)?.is_some() {
            seen.flood_passed = seen.flood_passed.saturating_add(1);
        }
        if number == FULL {
            seen.resident_full = resident::now()?;
        }
        if number.is_multiple_of(STRIDE) {
            look(limiter, blocked, &mut seen)?;
        }
    }
    Ok(seen)
}

/// The blocked caller asks once more, and the consumer whose turn it is.
fn look(limiter: &Limiter, blocked: IpAddr, seen: &mut Seen) -> Result<(), Failure> {
    seen.asked_while_blocked = seen.asked_while_blocked.saturating_add(1);
    if ask(limiter, blocked, None)?.is_some() {
        seen.passed_while_blocked = seen.passed_while_blocked.saturating_add(1);
    }
    let turn = usize::try_from(seen.consumer_requests)?;
    let asked_before = turn.checked_div(CONSUMERS).unwrap_or_default() as u64;
    let right = CONSUMER_BURST.checked_sub(asked_before.saturating_add(1));
    let fields = ask(limiter, stranger(0), turn.checked_rem(CONSUMERS))?;
    if remaining(fields.as_ref()) != right {
        seen.consumers_miscounted = seen.consumers_miscounted.saturating_add(1);
    }
    seen.consumer_requests = seen.consumer_requests.saturating_add(1);
    Ok(())
}

/// The fields of the response; `None` when the request is denied.
fn ask(
    limiter: &Limiter,
    address: IpAddr,
    consumer: Option<usize>,
) -> Result<Option<HeaderMap>, Failure> {
    let peer = SocketAddr::new(address, 4711);
    let (mut asked, mut answer) = (admitted::request(consumer)?, admitted::response()?);
    let passed = admitted::admit(limiter, &mut asked, peer, &mut answer)?;
    Ok(passed.then_some(answer.headers))
}

/// What a passed request's response says is left.
fn remaining(fields: Option<&HeaderMap>) -> Option<u64> {
    let field = fields?.get("x-ratelimit-remaining")?;
    field.to_str().ok()?.parse().ok()
}

/// An address of the network `number`.
fn stranger(number: u64) -> IpAddr {
    let [.., second, first] = [number >> 16, number].map(|part| (part & 0xffff) as u16);
    Ipv6Addr::new(0x2001, 0xdb8, second, first, 0, 0, 0, 1).into()
}

fn rows(seen: &Seen, before: u64, after: u64, peak: u64) -> Vec<Row> {
    let mebibytes = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
    let grown = mebibytes(after.saturating_sub(seen.resident_full));
    let row = |what: &str, ours: String, figure: String, value, bound| Row {
        what: what.to_owned(),
        ours,
        theirs: String::new(),
        figure,
        value,
        target: Target::AtMost(bound),
    };
    vec![
        row(
            "flood: memory grown by 4.5 million addresses more, `max_keys` 100,000",
            format!(
                "{:.1} MiB before, {:.1} after, {:.1} peak",
                mebibytes(before),
                mebibytes(after),
                mebibytes(peak)
            ),
            format!("{grown:.2} MiB"),
            grown,
            1.0,
        ),
        row(
            "flood: a blocked caller let through",
            format!("{} requests", seen.asked_while_blocked),
            seen.passed_while_blocked.to_string(),
            seen.passed_while_blocked as f64,
            0.0,
        ),
        row(
            "flood: consumers' requests denied or miscounted",
            format!("{} requests", seen.consumer_requests),
            seen.consumers_miscounted.to_string(),
            seen.consumers_miscounted as f64,
            0.0,
        ),
    ]
}
