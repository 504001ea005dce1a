//! Why a quota is refused.

use core::fmt;

/// Why a quota cannot be computed exactly. Its text says what was expected.
///
/// ```
/// use aforo_core::{Quota, Span};
/// let error = Quota::sliding_window(1 << 40, Span::from_seconds(86_400)).unwrap_err();
/// assert!(error.to_string().contains("nearest amount that works is 104249991374"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotaError {
    /// A zero amount is not a quota: a policy with it blocks and never asks a store.
    ZeroAmount,
    /// A burst of zero.
    ZeroBurst,
    /// A window shorter than 1 ms or longer than 400 days.
    WindowOutOfRange,
    /// The products leave 2⁵³ in every unit; the nearest amount that works.
    TooFine {
        /// The nearest amount that works for this window and burst, if any.
        nearest_amount: Option<u64>,
    },
    /// A sliding log of more than 10,000 units.
    LogTooLarge,
}

impl fmt::Display for QuotaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroAmount => f.write_str(
                "a quota's amount is at least 1: a policy of 0 blocks and needs no algorithm",
            ),
            Self::ZeroBurst => f.write_str(
                "a burst is at least 1: leave it out to let the whole amount pass at once",
            ),
            Self::WindowOutOfRange => f.write_str("a window lasts from 1 ms to 400 days"),
            Self::TooFine { nearest_amount } => {
                f.write_str(
                    "no unit of time (µs, ms, s) divides the window and keeps \
                     amount × window and burst × window exact (below 2^53): ",
                )?;
                match nearest_amount {
                    Some(amount) => write!(f, "the nearest amount that works is {amount}"),
                    None => f.write_str("take a smaller burst or delay, or a rounder window"),
                }
            }
            Self::LogTooLarge => f.write_str(
                "a sliding log holds at most 10000 units: \
                 take a smaller amount or the sliding window",
            ),
        }
    }
}

impl core::error::Error for QuotaError {}
