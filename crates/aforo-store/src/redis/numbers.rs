//! A quota as the numbers that the script computes with, and what it wrote read back.

use aforo_core::{Algorithm, Quota, Shape, Span, State, Stored, Unit, Window};

/// Every number that the script is given or gives fits in seven bytes.
pub(super) const WIDTH: usize = 7;

/// The numbers of a quota in its unit: see `aforo_core::Quota`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) algorithm: u8,
    pub(super) unit: u8,
    pub(super) w: u64,
    pub(super) q: u64,
    pub(super) full: u64,
    pub(super) capacity: u64,
}

impl Numbers {
    pub(super) fn of(quota: &Quota) -> Self {
        let (unit, w) = (quota.unit(), quota.shape().window);
        let units = |span: Span| {
            let units = span.as_micros().checked_div(unit.micros());
            units.unwrap_or_default()
        };
        let amount = quota.amount();
        let numbers = Self {
            algorithm: algorithm_number(quota.algorithm()),
            unit: unit as u8,
            w,
            q: amount,
            full: amount,
            capacity: quota.capacity(),
        };
        let (Some(length), Algorithm::TokenBucket | Algorithm::LeakyBucket) =
            (length(quota.window()), quota.algorithm())
        else {
            return numbers;
        };
        // q and w were reduced by the same divisor.
        let divisor = units(length).checked_div(w).unwrap_or(1);
        let q = amount.checked_div(divisor).unwrap_or(amount);
        let full = match quota.max_delay() {
            Some(delay) => units(delay).saturating_mul(q).saturating_add(w),
            None => quota.capacity().saturating_mul(w),
        };
        Self { q, full, ..numbers }
    }
}

const fn length(window: Window) -> Option<Span> {
    match window {
        Window::Length(length) | Window::FirstHit(length) => Some(length),
        Window::Calendar(_) => None,
    }
}

const fn algorithm_number(algorithm: Algorithm) -> u8 {
    match algorithm {
        Algorithm::TokenBucket => 0,
        Algorithm::LeakyBucket => 1,
        Algorithm::FixedWindow => 2,
        Algorithm::SlidingWindow => 3,
        Algorithm::SlidingLog => 4,
    }
}

/// The bytes of an answer, read from the front.
#[derive(Debug)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Bytes<'_> {
    pub(super) fn number(&mut self, width: usize) -> Option<u64> {
        let (bytes, rest) = self.0.split_at_checked(width)?;
        self.0 = rest;
        let number = |sum: u64, byte: &u8| sum.wrapping_shl(8) | u64::from(*byte);
        Some(bytes.iter().rev().fold(0, number))
    }

    /// A record as it is kept: behind its id, before its `until`.
    pub(super) fn record(&mut self) -> Option<Stored> {
        let id = usize::try_from(self.number(1)?).ok()?;
        self.0 = self.0.get(id..)?;
        let stored = self.stored()?;
        self.number(6)?;
        Some(stored)
    }

    /// What a record says: shape, width, and its three numbers.
    pub(super) fn stored(&mut self) -> Option<Stored> {
        let shape = self.number(1)?;
        let algorithm = match shape & 7 {
            0 => Algorithm::TokenBucket,
            1 => Algorithm::LeakyBucket,
            2 => Algorithm::FixedWindow,
            3 => Algorithm::SlidingWindow,
            4 => Algorithm::SlidingLog,
            _ => return None,
        };
        let unit = *Unit::ALL.get(usize::try_from(shape >> 3).ok()?)?;
        let shape = Shape {
            algorithm,
            unit,
            window: self.number(WIDTH)?,
        };
        let state = State {
            last: self.number(WIDTH)?,
            first: self.number(WIDTH)?,
            second: self.number(WIDTH)?,
        };
        Some(Stored { shape, state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_s_numbers_are_reduced() {
        let quota = Quota::token_bucket(60, Span::from_seconds(60), Some(10)).unwrap();
        let numbers = Numbers::of(&quota);
        assert_eq!((numbers.q, numbers.w), (1, 1_000_000));
        assert_eq!((numbers.full, numbers.capacity), (10_000_000, 10));
    }

    #[test]
    fn a_leaky_bucket_holds_what_drains_within_its_delay() {
        let seconds = Span::from_seconds;
        let quota = Quota::leaky_bucket(5, seconds(10), seconds(6)).unwrap();
        let numbers = Numbers::of(&quota);
        assert_eq!((numbers.q, numbers.w), (1, 2_000_000));
        assert_eq!((numbers.full, numbers.capacity), (8_000_000, 4));
    }

    #[test]
    fn a_record_is_read_from_behind_its_id() {
        let mut kept = vec![9, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        kept.extend([8, 60, 0, 0, 0, 0, 0, 0]);
        for number in [7, 5, 3] {
            kept.extend([number, 0, 0, 0, 0, 0, 0]);
        }
        kept.extend([1; 6]);
        let mut bytes = Bytes(&kept);
        let stored = bytes.record().unwrap();
        assert_eq!(stored.shape.algorithm, Algorithm::TokenBucket);
        assert_eq!(
            (stored.shape.unit, stored.shape.window),
            (Unit::Millisecond, 60)
        );
        let state = stored.state;
        assert_eq!((state.last, state.first, state.second), (7, 5, 3));
        assert!(bytes.0.is_empty());
        let cut = &kept[..kept.len() - 1];
        assert_eq!(Bytes(cut).record(), None);
    }

    #[test]
    fn a_number_is_read_from_its_lowest_byte() {
        let mut bytes = Bytes(&[1, 2, 0, 0, 0, 0, 0, 9]);
        assert_eq!(bytes.number(7), Some(513));
        assert_eq!(bytes.number(1), Some(9));
        assert_eq!(bytes.number(1), None);
    }
}
