//! The memory store beside governor's keyed limiter, and what an entry costs.
//!
//! Run alone on the machine: `cargo bench -p aforo-store --bench memory`.
//!
//! Both sides are given the same key bytes, in cache as a request's are, in the same order, and
//! read a clock for each charge; Aforo's side also hashes them with a secret. The sides alternate
//! and the medians of all rounds are compared.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a benchmark reads the clock and prints"
)]

use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use aforo_core::{
    Charge, HashKey, Mode, OnDenial, PolicyName, Principal, PrincipalKind, Quota, Span, Terms,
    Verdict,
};
use aforo_store::MemoryStore;
use governor::RateLimiter;
use governor::clock::DefaultClock;
use governor::state::keyed::DashMapStateStore;

type Bytes = [u8; 21];
type Governor = RateLimiter<Bytes, DashMapStateStore<Bytes>, DefaultClock>;

const KEYS: u32 = 1 << 20;
const CHARGES: usize = 1 << 21;
const ROUNDS: usize = 9;

struct Aforo {
    store: MemoryStore,
    secret: HashKey,
    terms: Terms,
}

impl Aforo {
    fn new() -> Self {
        let quota = Quota::token_bucket(100, Span::from_seconds(1), None).unwrap();
        Self {
            store: MemoryStore::builder().max_keys(KEYS as usize).build(),
            secret: HashKey::new([0x5bd1_e995, 0x27d4_eb2f]),
            terms: Terms::new(PolicyName::new("per-consumer").unwrap(), quota),
        }
    }

    #[inline(always)]
    fn check(&self, key: &Bytes) -> bool {
        let hash = self.secret.hash(key);
        let charge = Charge {
            terms: &self.terms,
            principal: Principal {
                kind: PrincipalKind::Known,
                hash,
            },
            partition: hash,
            subject: None,
            cost: 1,
            mode: Mode::Enforce,
            on_denial: OnDenial::Keep,
            edges: None,
        };
        self.store.take(&charge) == Verdict::Allowed
    }

    #[inline(always)]
    fn outcome(&self, key: &Bytes) -> bool {
        let hash = self.secret.hash(key);
        let charge = Charge {
            terms: &self.terms,
            principal: Principal {
                kind: PrincipalKind::Known,
                hash,
            },
            partition: hash,
            subject: None,
            cost: 1,
            mode: Mode::Enforce,
            on_denial: OnDenial::Keep,
            edges: None,
        };
        black_box(self.store.charge_one(&charge)).is_allowed()
    }
}

fn key(number: u32) -> Bytes {
    format!("consumer-{number:012}")
        .as_bytes()
        .try_into()
        .unwrap()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn keys(seed: u64, among: u32) -> Vec<Bytes> {
    let mut state = seed;
    (0..CHARGES)
        .map(|_| key((random(&mut state) % u64::from(among)) as u32))
        .collect()
}

fn time(keys: &[Bytes], check: impl Fn(&Bytes) -> bool) -> f64 {
    let start = Instant::now();
    let mut allowed = 0_u32;
    for key in keys {
        allowed += u32::from(check(key));
    }
    black_box(allowed);
    nanos(start.elapsed(), keys.len())
}

fn nanos(elapsed: Duration, charges: usize) -> f64 {
    elapsed.as_nanos() as f64 / charges as f64
}

fn two_threads(keys: [&[Bytes]; 2], check: impl Fn(&Bytes) -> bool + Sync) -> f64 {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for keys in keys {
            let check = &check;
            scope.spawn(move || {
                let mut allowed = 0_u32;
                for key in keys {
                    allowed += u32::from(check(key));
                }
                black_box(allowed);
            });
        }
    });
    nanos(start.elapsed(), keys[0].len() + keys[1].len())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(name: &str, mut sides: [(&str, &mut dyn FnMut() -> f64); 3]) {
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        for (side, times) in sides.iter_mut().zip(&mut times) {
            times.push(side.1());
        }
    }
    let [governor, take, outcome] = times.map(median);
    println!(
        "{name:28} governor {governor:6.1} ns   take {take:6.1} ns = {:.2}x   charge_one {outcome:6.1} ns = {:.2}x",
        governor / take,
        governor / outcome,
    );
}

fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0_usize) * 4096
}

fn main() {
    let all: Vec<Bytes> = (0..KEYS).map(key).collect();
    let before = resident();
    let aforo = Aforo::new();
    for key in &all {
        black_box(aforo.check(key));
    }
    let bytes = resident().saturating_sub(before) as f64 / f64::from(KEYS);
    println!(
        "aforo: {bytes:.1} bytes per live entry, {:?}",
        aforo.store.stats().known
    );
    let before = resident();
    let quota = governor::Quota::per_second(NonZeroU32::new(100).unwrap());
    let governor: Governor = RateLimiter::dashmap(quota);
    for key in &all {
        black_box(governor.check_key(key).is_ok());
    }
    let bytes = resident().saturating_sub(before) as f64 / f64::from(KEYS);
    println!("governor: {bytes:.1} bytes per key");
    let check = |key: &Bytes| governor.check_key(key).is_ok();
    for (name, among) in [("one thread, 2^20 keys", KEYS), ("one thread, 64 keys", 64)] {
        let keys = keys(1, among);
        compare(
            name,
            [
                ("governor", &mut || time(&keys, check)),
                ("take", &mut || time(&keys, |key| aforo.check(key))),
                ("charge_one", &mut || time(&keys, |key| aforo.outcome(key))),
            ],
        );
    }
    for (name, among) in [
        ("two threads, 2^20 keys", KEYS),
        ("two threads, 64 keys", 64),
    ] {
        let (one, two) = (keys(1, among), keys(2, among));
        compare(
            name,
            [
                ("governor", &mut || two_threads([&one, &two], check)),
                ("take", &mut || {
                    two_threads([&one, &two], |key| aforo.check(key))
                }),
                ("charge_one", &mut || {
                    two_threads([&one, &two], |key| aforo.outcome(key))
                }),
            ],
        );
    }
}
