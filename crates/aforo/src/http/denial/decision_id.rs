//! A short name of one denial, in its body and in logs.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

static NEXT: LazyLock<AtomicU64> =
    LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one("decision")));

/// A short name of one denial, in its body and in logs: 16 hex digits.
///
/// Unique in its process; two processes start at random places. It does not tell a caller how many
/// denials there were.
///
/// ```
/// use aforo::http::denial::DecisionId;
/// assert_ne!(DecisionId::next(), DecisionId::next());
/// assert_eq!(DecisionId::next().to_string().len(), 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecisionId(u64);

/// The digits of a [`DecisionId`].
///
/// ```
/// let id = aforo::http::denial::DecisionId::next();
/// assert_eq!(id.digits().as_str(), id.to_string());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits([u8; 16]);

impl DecisionId {
    /// The next id.
    pub fn next() -> Self {
        Self(mixed(NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Its digits, as they are shown.
    pub fn digits(self) -> Digits {
        let (mut digits, mut rest) = ([0; 16], self.0);
        for place in digits.iter_mut().rev() {
            *place = digit(rest as u8 & 0xf);
            rest >>= 4;
        }
        Digits(digits)
    }
}

/// The hex digit of four bits.
const fn digit(four: u8) -> u8 {
    match four {
        0..=9 => b'0' | four,
        _ => b'a'.wrapping_add(four).wrapping_sub(10),
    }
}

impl Digits {
    /// As a text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// A bijection of 64 bits whose neighbours look unrelated: the finaliser of `SplitMix64` (Steele, Lea, Flood 2014).
const fn mixed(count: u64) -> u64 {
    let z = (count ^ (count >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.digits().as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn it_is_shown_in_hex() {
        for (id, shown) in [
            (0, "0000000000000000"),
            (0x0123_4567_89ab_cdef, "0123456789abcdef"),
            (u64::MAX, "ffffffffffffffff"),
        ] {
            assert_eq!(DecisionId(id).to_string(), shown);
        }
    }

    #[test]
    fn a_thousand_ids_differ() {
        let ids: HashSet<String> = (0..1_000).map(|_| DecisionId::next().to_string()).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 16));
    }
}
