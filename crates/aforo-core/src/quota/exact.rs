//! The choice of the unit in which a quota's products stay exact.

use alloc::vec;
use alloc::vec::Vec;

use super::{EXACT_BELOW, QuotaError};
use crate::algorithm::leaky_bucket;
use crate::{Span, Unit};

const SHORTEST: Span = Span::from_millis(1);
const LONGEST: Span = Span::from_seconds(400 * 86_400);

/// What can be taken at once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Capacity {
    /// The amount itself.
    Amount,
    /// A burst.
    Burst(u64),
    /// As much as drains within a delay.
    Delay(Span),
}

/// A unit with q and w, reduced in it, and B·w.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exact {
    pub(super) unit: Unit,
    pub(super) q: u64,
    pub(super) w: u64,
    pub(super) full: u64,
    /// What the amount and the window were divided by.
    pub(super) divisor: u64,
}

impl Exact {
    /// The finest unit that works; `most` bounds the amounts that an error proposes.
    pub(super) fn choose(
        amount: u64,
        window: Span,
        capacity: Capacity,
        most: u64,
    ) -> Result<Self, QuotaError> {
        check(amount, window)?;
        Unit::ALL
            .into_iter()
            .find_map(|unit| Self::fit(amount, window, capacity, unit))
            .ok_or_else(|| {
                let [below, above] = neighbours(amount, window, capacity);
                let above = above.filter(|above| *above <= most);
                QuotaError::TooFine {
                    nearest_amount: nearest(amount, below, above),
                }
            })
    }

    fn fit(amount: u64, window: Span, capacity: Capacity, unit: Unit) -> Option<Self> {
        let length = units(window, unit)?;
        let divisor = gcd(amount, length);
        let q = amount.checked_div(divisor)?;
        let w = length.checked_div(divisor)?;
        exact(q.checked_mul(w))?;
        let full = match capacity {
            Capacity::Amount => amount.checked_mul(w),
            Capacity::Burst(burst) => burst.checked_mul(w),
            Capacity::Delay(delay) => leaky_bucket::full(units(delay, unit)?, q, w),
        };
        let full = exact(full)?;
        Some(Self {
            unit,
            q,
            w,
            full,
            divisor,
        })
    }
}

/// The unit of a calendar window: nothing is multiplied, so only the count must be exact.
pub(super) fn calendar(amount: u64) -> Result<Unit, QuotaError> {
    match amount {
        0 => Err(QuotaError::ZeroAmount),
        1..EXACT_BELOW => Ok(Unit::Microsecond),
        _ => Err(QuotaError::TooFine {
            nearest_amount: Some(EXACT_BELOW - 1),
        }),
    }
}

/// The finest unit in which the amount times the window is exact as it stands.
pub(super) fn unreduced(amount: u64, window: Span) -> Result<Unit, QuotaError> {
    check(amount, window)?;
    let lengths = || {
        Unit::ALL
            .into_iter()
            .filter_map(|unit| Some((unit, units(window, unit)?)))
    };
    let most = lengths()
        .filter_map(|(_, length)| (EXACT_BELOW - 1).checked_div(length))
        .max();
    lengths()
        .find(|(_, length)| exact(amount.checked_mul(*length)).is_some())
        .map(|(unit, _)| unit)
        .ok_or(QuotaError::TooFine {
            nearest_amount: most,
        })
}

/// The nearest workable amounts at or below and at or above `amount`.
///
/// In a unit where the window is `length` long, an amount k·g, g dividing `length`, reduces to
/// k and length/g: so each divisor allows its multiples up to some k.
pub(super) fn neighbours(amount: u64, window: Span, capacity: Capacity) -> [Option<u64>; 2] {
    let mut below: Option<u64> = None;
    let mut above: Option<u64> = None;
    for unit in Unit::ALL {
        let Some(length) = units(window, unit).filter(|length| *length > 0) else {
            continue;
        };
        for divisor in divisors(length) {
            let Some(most) = most_multiple(length, divisor, capacity, unit) else {
                continue;
            };
            let under = amount.checked_div(divisor).unwrap_or_default().min(most);
            let over = amount.div_ceil(divisor);
            if under > 0 {
                below = below.max(under.checked_mul(divisor));
            }
            if let (1.., Some(found)) = (over, over.checked_mul(divisor))
                && over <= most
            {
                above = Some(above.map_or(found, |above| above.min(found)));
            }
        }
    }
    [below, above]
}

/// The largest k for which k·divisor per `length` works.
fn most_multiple(length: u64, divisor: u64, capacity: Capacity, unit: Unit) -> Option<u64> {
    let most = EXACT_BELOW - 1;
    let w = length.checked_div(divisor)?;
    let by_rate = most.checked_div(w)?;
    match capacity {
        Capacity::Amount => most.checked_div(length),
        Capacity::Burst(burst) => exact(burst.checked_mul(w)).map(|_| by_rate),
        Capacity::Delay(delay) => {
            let delay = units(delay, unit)?;
            let by_delay = most.checked_sub(w)?.checked_div(delay);
            Some(by_delay.map_or(by_rate, |by_delay| by_delay.min(by_rate)))
        }
    }
}

fn nearest(amount: u64, below: Option<u64>, above: Option<u64>) -> Option<u64> {
    match (below, above) {
        (Some(below), Some(above)) => {
            let nearer_above = above.abs_diff(amount) < below.abs_diff(amount);
            Some(if nearer_above { above } else { below })
        }
        (found, None) | (None, found) => found,
    }
}

fn check(amount: u64, window: Span) -> Result<(), QuotaError> {
    if amount == 0 {
        return Err(QuotaError::ZeroAmount);
    }
    if window < SHORTEST || window > LONGEST {
        return Err(QuotaError::WindowOutOfRange);
    }
    Ok(())
}

/// A length in the unit, when the unit divides it.
fn units(length: Span, unit: Unit) -> Option<u64> {
    let (micros, unit) = (length.as_micros(), unit.micros());
    micros
        .is_multiple_of(unit)
        .then(|| micros.checked_div(unit))?
}

fn exact(product: Option<u64>) -> Option<u64> {
    product.filter(|product| *product < EXACT_BELOW)
}

/// Euclid's greatest common divisor.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

/// All divisors, by trial division: only a refused quota pays for it.
fn divisors(mut number: u64) -> Vec<u64> {
    let mut found = vec![1_u64];
    let mut prime = 2_u64;
    while number > 1 {
        if prime.saturating_mul(prime) > number {
            prime = number;
        }
        let (mut power, before) = (1_u64, found.clone());
        while let (true, Some(rest)) = (number.is_multiple_of(prime), number.checked_div(prime)) {
            number = rest;
            power = power.saturating_mul(prime);
            found.extend(before.iter().map(|divisor| divisor.saturating_mul(power)));
        }
        prime = prime.saturating_add(if prime == 2 { 1 } else { 2 });
    }
    found
}
