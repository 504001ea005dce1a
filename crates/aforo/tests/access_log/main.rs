//! Real traffic: the limiter decides 10,000 requests of a public access log, at the log's own
//! time stamps, exactly as an independent rational model does.
//!
//! The log is `../shared/data/access-2015.log` beside the checkout; `AFORO_SHARED` names another
//! place of `shared`.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod log;
mod model;

use std::collections::BTreeMap;

use aforo::core::Timestamp;
use aforo::policy::Settings;
use aforo::{Limiter, ManualClock, ProcessEnvironment};
use log::{Line, lines};
use model::{FirstHit, Fixed, Leaky, Model, SlidingLog, SlidingWindow, TokenBucket};

const HOUR: i128 = 3_600;
const DAY: i128 = 86_400;

/// Whether the limiter admits each request, in the log's order, by address.
fn admitted(lines: &[Line], quota: &str, more: &str) -> Vec<bool> {
    let text = format!(
        "[plans.anonymous]\npolicies = []\n[policies.traffic]\nquota = \"{quota}\"\n{more}"
    );
    let settings = match Settings::parse("log.toml", &text, &ProcessEnvironment) {
        Ok(settings) => settings,
        Err(error) => panic!("{error}"),
    };
    let clock = ManualClock::default();
    let limiter = Limiter::builder()
        .settings(settings)
        .clock(clock.clone())
        .build()
        .unwrap();
    lines
        .iter()
        .map(|line| {
            clock.set(Timestamp::from_seconds(line.at as u64));
            limiter
                .check_now("traffic", &line.address)
                .unwrap()
                .is_allowed()
        })
        .collect()
}

/// What the model admits.
fn modelled<M: Model>(lines: &[Line], new: impl Fn() -> M) -> Vec<bool> {
    let mut callers: BTreeMap<&str, M> = BTreeMap::new();
    lines
        .iter()
        .map(|line| {
            let caller = callers.entry(&line.address).or_insert_with(&new);
            caller.admits(line.at)
        })
        .collect()
}

/// Admitted requests by address.
fn by_address<'a>(lines: &'a [Line], admitted: &[bool]) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for (line, admitted) in lines.iter().zip(admitted) {
        *counts.entry(line.address.as_str()).or_default() += usize::from(*admitted);
    }
    counts
}

/// Holds a quota's decisions to the model's, one by one, and to a literal sum.
fn holds<M: Model>(quota: &str, more: &str, new: impl Fn() -> M, sum: usize) {
    let lines = lines();
    let decided = admitted(&lines, quota, more);
    let expected = modelled(&lines, new);
    assert_eq!(
        by_address(&lines, &decided),
        by_address(&lines, &expected),
        "{quota}"
    );
    assert_eq!(decided, expected, "{quota}");
    assert_eq!(decided.iter().filter(|one| **one).count(), sum, "{quota}");
}

#[test]
fn the_log_is_the_one_the_numbers_are_for() {
    let lines = lines();
    let addresses = by_address(&lines, &vec![true; lines.len()]).len();
    let back = lines
        .windows(2)
        .filter(|pair| pair[1].at < pair[0].at)
        .count();
    assert_eq!((lines.len(), addresses, back), (10_000, 1_753, 4_915));
}

#[test]
fn token_buckets() {
    let model = || TokenBucket::new(20, HOUR, 5);
    holds("20/hour burst 5", "", model, 6_917);
    holds("20/hour burst 5 gcra", "", model, 6_917);
}

#[test]
fn leaky_buckets() {
    let model = || Leaky::new(20, HOUR, 600);
    let more = "max_delay = \"10min\"";
    holds("20/hour leaky-bucket", more, model, 6_192);
}

#[test]
fn fixed_windows() {
    holds("50/day fixed-window", "", || Fixed::new(50, DAY), 9_123);
    holds("10/hour fixed-window", "", || Fixed::new(10, HOUR), 8_271);
    let more = "window = \"first-hit\"";
    let model = || FirstHit::new(10, HOUR);
    holds("10/hour fixed-window", more, model, 8_233);
}

#[test]
fn sliding_windows() {
    holds("10/hour", "", || SlidingWindow::new(10, HOUR), 7_865);
    holds("100/hour", "", || SlidingWindow::new(100, HOUR), 9_888);
    holds("50/day", "", || SlidingWindow::new(50, DAY), 9_023);
}

#[test]
fn sliding_logs() {
    holds(
        "10/hour sliding-log",
        "",
        || SlidingLog::new(10, HOUR),
        8_136,
    );
    holds(
        "100/hour sliding-log",
        "",
        || SlidingLog::new(100, HOUR),
        9_957,
    );
    holds("50/day sliding-log", "", || SlidingLog::new(50, DAY), 8_990);
}

#[test]
fn the_sliding_windows_error_is_measured_beside_the_exact_log() {
    let lines = lines();
    println!("quota     admitted by window  by log   denied, log admits  admitted, log denies");
    for (quota, expected) in [
        ("10/hour", (7_865, 8_136, 311, 40)),
        ("20/hour", (8_839, 9_020, 211, 30)),
        ("100/hour", (9_888, 9_957, 79, 10)),
        ("50/day", (9_023, 8_990, 129, 162)),
    ] {
        let window = admitted(&lines, quota, "");
        let log = admitted(&lines, &format!("{quota} sliding-log"), "");
        let both = || window.iter().zip(&log);
        let stricter = both().filter(|(window, log)| !**window && **log).count();
        let looser = both().filter(|(window, log)| **window && !**log).count();
        let sum = |decided: &[bool]| decided.iter().filter(|one| **one).count();
        let measured = (sum(&window), sum(&log), stricter, looser);
        println!(
            "{quota:<9} {:>18}  {:>6}   {stricter:>10} ({:.2}%)  {looser:>11} ({:.2}%)",
            measured.0,
            measured.1,
            stricter as f64 / 100.0,
            looser as f64 / 100.0,
        );
        assert_eq!(measured, expected, "{quota}");
    }
}
