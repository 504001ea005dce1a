//! Envoy's descriptors: what a message asks never panics, keeps its bounds and loses no entry, and the
//! table that applies is the one that a slow search finds.

use std::sync::LazyLock;

use aforo::decide::Descriptor;
use aforo::policy::{DescriptorEntry, Settings};
use aforo::{Limiter, ProcessEnvironment};
use prost::Message;

// The program is no library: these files use nothing of the crate around them.
#[path = "../../crates/aforo-server/src/decide/grpc/asked.rs"]
#[allow(dead_code, unreachable_pub, missing_docs)]
mod asked;
#[path = "../../crates/aforo-server/src/decide/grpc/messages.rs"]
#[allow(dead_code, unreachable_pub, missing_docs)]
mod messages;

use asked::Asked;
use messages::{Entry, RateLimitDescriptor, RateLimitRequest};

#[test]
fn messages_ask_within_bounds() {
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let Ok(request) = RateLimitRequest::decode(bytes) else {
                return;
            };
            let Ok(asked) = Asked::of(&request) else {
                return;
            };
            assert_eq!(asked.count(), request.descriptors.len());
            for ((one, entries), sent) in asked.descriptors().zip(&request.descriptors) {
                assert!((1..=64).contains(&entries.len()));
                let same = |(entry, sent): (&DescriptorEntry<'_>, &Entry)| {
                    entry.key == sent.key && entry.value == sent.value
                };
                assert_eq!(entries.len(), sent.entries.len());
                assert!(entries.iter().zip(&sent.entries).all(same));
                let hits = sent
                    .hits_addend
                    .unwrap_or(u64::from(request.hits_addend.max(1)));
                assert!(one.hits == hits || sent.is_negative_hits && one.hits == 0);
            }
        });
}

/// Key, beginning of the value, whether it is the whole.
const TABLES: [(&str, &str, bool); 6] = [
    ("a", "", false),
    ("a", "x", false),
    ("a", "xy", false),
    ("a", "xyz", true),
    ("b", "x", true),
    ("remote_address", "", false),
];

static LIMITER: LazyLock<Limiter> = LazyLock::new(limiter);

#[expect(clippy::unwrap_used, reason = "a file that is right")]
fn limiter() -> Limiter {
    let table = |(place, (key, value, whole)): (usize, &(&str, &str, bool))| {
        let value = match (value.is_empty(), whole) {
            (true, _) => String::new(),
            (false, true) => format!(", value = \"{value}\""),
            (false, false) => format!(", value = \"{value}*\""),
        };
        format!(
            "[[descriptors]]\ndomain = \"d\"\nentries = [{{ key = \"{key}\"{value} }}]\n\
             policies = [{{ name = \"p{place}\", quota = \"1/hour\" }}]\n"
        )
    };
    let text: String = TABLES.iter().enumerate().map(table).collect();
    let settings = Settings::parse("aforo.toml", &text, &ProcessEnvironment);
    Limiter::from_settings(settings.unwrap()).unwrap()
}

/// The table with the longest value among those that fit, a whole one before all.
fn slowly(key: &str, value: &str) -> Option<String> {
    let fits = TABLES
        .iter()
        .enumerate()
        .filter(|(_, (known, begin, whole))| {
            *known == key && (*begin == value || !whole && value.starts_with(begin))
        });
    let best = fits.max_by_key(|(_, (_, begin, whole))| (*whole, begin.len()));
    best.map(|(place, _)| format!("p{place}"))
}

#[test]
fn one_table_applies() {
    const TOKENS: [&str; 8] = [
        "a",
        "b",
        "remote_address",
        "x",
        "xy",
        "xyz",
        "192.0.2.1",
        "z",
    ];
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let (key, value) = bytes.split_at(bytes.len().min(1));
            let (key, value) = (
                aforo_fuzz::sentence(&TOKENS, key),
                aforo_fuzz::sentence(&TOKENS, value),
            );
            let message = RateLimitRequest {
                domain: "d".to_owned(),
                descriptors: vec![RateLimitDescriptor {
                    entries: vec![Entry { key, value }],
                    ..RateLimitDescriptor::default()
                }],
                hits_addend: 0,
            };
            let Ok(asked) = Asked::of(&message) else {
                return;
            };
            for (one, entries) in asked.descriptors() {
                let asked = Descriptor {
                    entries,
                    hits: one.hits,
                    limit: None,
                };
                let decided = LIMITER
                    .decide_descriptors_now("d", &[asked])
                    .unwrap()
                    .unwrap();
                let policies: Vec<String> = decided
                    .ruling
                    .told()
                    .map(|told| told.policy.to_owned())
                    .collect();
                let expected = slowly(entries[0].key, entries[0].value);
                assert_eq!(policies, Vec::from_iter(expected), "{entries:?}");
            }
        });
}
