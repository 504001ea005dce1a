//! A caller of one policy.

use aforo_core::vectors::Counter;
use aforo_core::{Edges, Outcome, Quota, Span, Timestamp, Window};

/// A start that every window of these cases divides.
pub(crate) const START: u64 = 1_699_999_200;

pub(crate) struct Caller {
    pub(crate) quota: Quota,
    pub(crate) counter: Counter,
    pub(crate) edges: Option<Edges>,
}

pub(crate) fn seconds(seconds: u64) -> Span {
    Span::from_seconds(seconds)
}

pub(crate) fn millis(millis: u64) -> Span {
    Span::from_millis(millis)
}

pub(crate) fn instant(millis: u64) -> Timestamp {
    Timestamp::from_seconds(START).plus(Span::from_millis(millis))
}

impl Caller {
    pub(crate) fn of(quota: Quota) -> Self {
        Self {
            quota,
            counter: Counter::default(),
            edges: None,
        }
    }

    /// One unit, `millis` after the start.
    pub(crate) fn hit(&mut self, millis: u64) -> Outcome {
        self.ask(millis, 1)
    }

    pub(crate) fn ask(&mut self, millis: u64, cost: u64) -> Outcome {
        self.ask_at(instant(millis), cost)
    }

    pub(crate) fn ask_at(&mut self, now: Timestamp, cost: u64) -> Outcome {
        self.counter
            .charge(&self.quota, now, self.edges.as_ref(), cost)
            .0
    }

    /// How many of so many hits at one instant are admitted.
    pub(crate) fn admitted(&mut self, millis: u64, hits: u64) -> u64 {
        (0..hits).filter(|_| self.hit(millis).is_allowed()).count() as u64
    }
}

/// The same amount per window, counted in every way.
pub(crate) fn every_algorithm(amount: u64, window: Span) -> Vec<Quota> {
    vec![
        Quota::token_bucket(amount, window, None).unwrap(),
        Quota::leaky_bucket(amount, window, window).unwrap(),
        Quota::fixed_window(amount, Window::Length(window)).unwrap(),
        Quota::fixed_window(amount, Window::FirstHit(window)).unwrap(),
        Quota::sliding_window(amount, window).unwrap(),
        Quota::sliding_log(amount, window).unwrap(),
    ]
}
