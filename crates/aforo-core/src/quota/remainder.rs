//! What parts that are set aside leave of a quota.

use core::fmt;

use super::{Quota, QuotaError};
use crate::Algorithm;

/// Why no parts of that kind can be set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemainderError {
    /// The part has another algorithm or window, so that it cannot be taken from the whole.
    OtherKind,
    /// A leaky bucket or a first-hit window: parts of it do not add up to it.
    NotDivisible,
    /// The parts are more than the whole: the amount, or the burst, they add up to.
    TooMuch {
        /// What the parts add up to.
        parts: u64,
        /// What there is.
        whole: u64,
    },
    /// What is left cannot be counted exactly.
    Inexact(QuotaError),
}

impl fmt::Display for RemainderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKind => f.write_str("a part needs the algorithm and window of the whole"),
            Self::NotDivisible => f.write_str(
                "parts of a leaky bucket or of a first-hit window do not add up to the whole",
            ),
            Self::TooMuch { parts, whole } => {
                write!(f, "the parts add up to {parts}, the whole is {whole}")
            }
            Self::Inexact(error) => write!(f, "what is left cannot be counted: {error}"),
        }
    }
}

impl core::error::Error for RemainderError {}

impl Quota {
    /// What is left of it when `parts` quotas of `part` are set aside; `None` when nothing is.
    ///
    /// Whoever holds each caller to its part, and what is beyond the parts to what is left, never
    /// passes the whole: buckets of the same window, whose amounts and bursts add up, admit
    /// together what one of the sums admits, and so do counters of the same windows.
    ///
    /// ```
    /// use aforo_core::{Quota, Span};
    /// let minute = Span::from_seconds(60);
    /// let pool = Quota::token_bucket(600, minute, Some(100))?;
    /// let part = Quota::token_bucket(60, minute, Some(20))?;
    /// let left = pool.without(&part, 4)?;
    /// assert_eq!(left, Some(Quota::token_bucket(360, minute, Some(20))?));
    /// assert_eq!(pool.without(&part, 5)?, None);
    /// assert!(pool.without(&part, 6).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`RemainderError`].
    pub fn without(&self, part: &Self, parts: u64) -> Result<Option<Self>, RemainderError> {
        if self.algorithm != part.algorithm || self.window() != part.window() {
            return Err(RemainderError::OtherKind);
        }
        if self.algorithm == Algorithm::LeakyBucket || self.is_first_hit() {
            return Err(RemainderError::NotDivisible);
        }
        let amount = left(self.amount(), part.amount(), parts)?;
        let burst = left(self.capacity, part.capacity, parts)?;
        if amount == 0 || burst == 0 {
            return Ok(None);
        }
        let rest = self.resized(amount, burst);
        rest.map(Some).map_err(RemainderError::Inexact)
    }

    const fn is_first_hit(&self) -> bool {
        matches!(self.window(), super::Window::FirstHit(_))
    }
}

fn left(whole: u64, part: u64, parts: u64) -> Result<u64, RemainderError> {
    let parts = part.saturating_mul(parts);
    let too_much = RemainderError::TooMuch { parts, whole };
    whole.checked_sub(parts).ok_or(too_much)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CalendarUnit, Span, Window};

    const HOUR: Span = Span::from_seconds(3_600);

    #[test]
    fn amounts_are_taken_from_each_kind_that_adds_up() {
        let calendar = Window::Calendar(CalendarUnit::Month);
        for (whole, part, left) in [
            (
                Quota::sliding_window(1_000, HOUR),
                Quota::sliding_window(100, HOUR),
                Quota::sliding_window(700, HOUR),
            ),
            (
                Quota::sliding_log(1_000, HOUR),
                Quota::sliding_log(333, HOUR),
                Quota::sliding_log(1, HOUR),
            ),
            (
                Quota::fixed_window(50, calendar),
                Quota::fixed_window(5, calendar),
                Quota::fixed_window(35, calendar),
            ),
        ] {
            let rest = whole.unwrap().without(&part.unwrap(), 3);
            assert_eq!(rest, Ok(Some(left.unwrap())));
        }
    }

    #[test]
    fn a_part_of_another_kind_is_refused() {
        let whole = Quota::sliding_window(1_000, HOUR).unwrap();
        for part in [
            Quota::sliding_log(10, HOUR).unwrap(),
            Quota::sliding_window(10, Span::from_seconds(60)).unwrap(),
        ] {
            assert_eq!(whole.without(&part, 1), Err(RemainderError::OtherKind));
        }
        let first_hit = Quota::fixed_window(5, Window::FirstHit(HOUR)).unwrap();
        let leaky = Quota::leaky_bucket(60, HOUR, HOUR).unwrap();
        for whole in [first_hit, leaky] {
            assert_eq!(whole.without(&whole, 1), Err(RemainderError::NotDivisible));
        }
    }

    #[test]
    fn bursts_are_set_aside_too() {
        let minute = Span::from_seconds(60);
        let whole = Quota::token_bucket(600, minute, Some(10)).unwrap();
        let part = Quota::token_bucket(60, minute, Some(6)).unwrap();
        assert_eq!(
            whole.without(&part, 2),
            Err(RemainderError::TooMuch {
                parts: 12,
                whole: 10
            })
        );
        assert_eq!(
            whole.without(&part, u64::MAX),
            Err(RemainderError::TooMuch {
                parts: u64::MAX,
                whole: 600
            })
        );
    }
}
