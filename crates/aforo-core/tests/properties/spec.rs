//! Quotas as plain numbers, for the model; and how they are drawn.

use aforo_core::{CalendarUnit, Edges, Quota, QuotaError, Span, Window};
use proptest::prelude::*;

use crate::calendar::Calendar;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Token { burst: Option<u64> },
    Leaky { delay: u64 },
    Fixed,
    FirstHit,
    Calendar(Calendar),
    Sliding,
    Log,
}

/// Lengths in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub kind: Kind,
    pub amount: u64,
    pub window: u64,
}

impl Spec {
    pub(crate) fn try_quota(&self) -> Result<Quota, QuotaError> {
        let window = Span::from_micros(self.window);
        match self.kind {
            Kind::Token { burst } => Quota::token_bucket(self.amount, window, burst),
            Kind::Leaky { delay } => {
                Quota::leaky_bucket(self.amount, window, Span::from_micros(delay))
            }
            Kind::Fixed => Quota::fixed_window(self.amount, Window::Length(window)),
            Kind::FirstHit => Quota::fixed_window(self.amount, Window::FirstHit(window)),
            Kind::Calendar(Calendar::Hours) => {
                Quota::fixed_window(self.amount, Window::Calendar(CalendarUnit::Hour))
            }
            Kind::Calendar(Calendar::Months) => {
                Quota::fixed_window(self.amount, Window::Calendar(CalendarUnit::Month))
            }
            Kind::Sliding => Quota::sliding_window(self.amount, window),
            Kind::Log => Quota::sliding_log(self.amount, window),
        }
    }

    pub(crate) fn quota(&self) -> Quota {
        self.try_quota().unwrap()
    }

    pub(crate) fn edges(&self, now: u64) -> Option<Edges> {
        match self.kind {
            Kind::Calendar(calendar) => Some(calendar.edges(now)),
            _ => None,
        }
    }

    /// The unit in microseconds and the window in a state's shape, found from the contract alone.
    pub(crate) fn unit_and_shape(&self) -> (u64, u64) {
        if matches!(self.kind, Kind::Calendar(_)) {
            return (1, 0);
        }
        [1, 1_000, 1_000_000]
            .into_iter()
            .find_map(|unit| Some((unit, self.shape_in(unit)?)))
            .expect("an accepted quota has a unit")
    }

    fn shape_in(&self, unit: u64) -> Option<u64> {
        let limit = 1_u128 << 53;
        if !self.window.is_multiple_of(unit) {
            return None;
        }
        let length = self.window / unit;
        let common = (1..=64).fold((self.amount, length), |(a, b), _| {
            if b == 0 { (a, 0) } else { (b, a % b) }
        });
        let divisor = if common.1 == 0 {
            common.0
        } else {
            slow_gcd(common.0, common.1)
        };
        let (q, w) = (
            u128::from(self.amount / divisor),
            u128::from(length / divisor),
        );
        let full = match self.kind {
            Kind::Token { burst: Some(burst) } => u128::from(burst) * w,
            Kind::Leaky { delay } if delay % unit != 0 => return None,
            Kind::Leaky { delay } => u128::from(delay / unit) * q + w,
            Kind::Sliding => u128::from(self.amount) * u128::from(length),
            _ => u128::from(self.amount) * w,
        };
        let is_bucket = matches!(self.kind, Kind::Token { .. } | Kind::Leaky { .. });
        let shape = if is_bucket { w as u64 } else { length };
        (q * w < limit && full < limit).then_some(shape)
    }
}

fn slow_gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { slow_gcd(b, a % b) }
}

/// Small, large, and as large as a window lets it be.
fn amounts() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 1_u64..=20,
        2 => 1_u64..=10_000,
        1 => 1_u64..=100_000_000,
        1 => (0_u32..63).prop_map(|power| 1 << power),
        1 => 1_u64..=u64::MAX,
    ]
}

/// From 1 ms to 400 days, round and odd.
pub(crate) fn windows() -> impl Strategy<Value = u64> {
    let longest = 400 * 86_400 * 1_000_000_u64;
    prop_oneof![
        Just(1_000_u64),
        Just(1_000_000),
        Just(60_000_000),
        Just(86_400_000_000),
        Just(longest),
        1_000_u64..=100_000,
        1_000_u64..=10_000_000_000,
        (1_u64..=longest / 1_000_000).prop_map(|seconds| seconds * 1_000_000),
        (1_u64..=longest / 1_000).prop_map(|millis| millis * 1_000),
        // Odd and long: 400 days less a microsecond, and a prime number of microseconds.
        Just(longest - 1),
        Just(10_000_000_019),
    ]
}

/// None, a few whole seconds or milliseconds, odd ones, as long as a window.
pub(crate) fn delays() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        (1_u64..100).prop_map(|seconds| seconds * 1_000_000),
        (1_u64..100_000).prop_map(|millis| millis * 1_000),
        1_u64..100_000_000,
        windows(),
    ]
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Token { burst: None }),
        amounts().prop_map(|burst| Kind::Token { burst: Some(burst) }),
        delays().prop_map(|delay| Kind::Leaky { delay }),
        Just(Kind::Fixed),
        Just(Kind::FirstHit),
        Just(Kind::Calendar(Calendar::Hours)),
        Just(Kind::Calendar(Calendar::Months)),
        Just(Kind::Sliding),
        Just(Kind::Log),
    ]
}

/// Any accepted quota; one that is refused is taken at the amount that its error proposes.
pub(crate) fn any_spec() -> impl Strategy<Value = Spec> {
    kinds().prop_flat_map(spec_of)
}

/// Any accepted quota of one kind; one that is refused is taken at the amount that its error
/// proposes, or else as small as can be.
pub(crate) fn spec_of(kind: Kind) -> impl Strategy<Value = Spec> {
    (amounts(), windows()).prop_map(move |(amount, window)| {
        let spec = Spec {
            kind,
            amount,
            window,
        };
        let amount = match spec.try_quota() {
            Ok(_) => return spec,
            Err(QuotaError::LogTooLarge) => 1 + amount % 10_000,
            Err(QuotaError::TooFine { nearest_amount }) => nearest_amount.unwrap_or(1),
            Err(_) => 1,
        };
        let spec = Spec { amount, ..spec };
        if spec.try_quota().is_ok() {
            return spec;
        }
        let kind = match kind {
            Kind::Token { .. } => Kind::Token { burst: Some(1) },
            Kind::Leaky { .. } => Kind::Leaky { delay: 0 },
            other => other,
        };
        Spec {
            kind,
            amount: 1,
            window,
        }
    })
}
