//! Random sequences of charges: how time moves and what is asked.

use aforo_core::vectors::Counter;
use aforo_core::{Outcome, Quota, Taken, Timestamp};
use proptest::prelude::*;

use crate::spec::Spec;

/// November 2023, neither on a minute nor on a millisecond.
pub(crate) const START: u64 = 1_700_000_000_123_457;

/// Timestamps are exact in every store up to here.
pub(crate) const END: u64 = (1 << 53) - 1;

pub(crate) const YEAR: u64 = 31_557_600_000_000;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Move {
    Stay,
    Micros(u64),
    /// So many 256ths of the window.
    Window(u64),
    /// As long as the last charge must wait, and so many microseconds less.
    Wait(u64),
    NextUnit(u64),
    WholeAgain(u64),
    Years(u64),
    Back(u64),
    BackWindow(u64),
    /// Back by the time to whole again, give or take.
    BackWhole(i64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    Units(u64),
    /// So many 256ths of the capacity.
    Part(u64),
    Remaining(u64),
    Capacity(u64),
    Most,
}

pub(crate) fn forward() -> impl Strategy<Value = Move> {
    prop_oneof![
        3 => Just(Move::Stay),
        2 => (1_u64..3_000).prop_map(Move::Micros),
        2 => (1_u64..100_000_000).prop_map(Move::Micros),
        4 => (1_u64..600).prop_map(Move::Window),
        3 => (0_u64..3).prop_map(Move::Wait),
        2 => (0_u64..3).prop_map(Move::NextUnit),
        2 => (0_u64..3).prop_map(Move::WholeAgain),
        1 => (0_u64..=100).prop_map(Move::Years),
    ]
}

pub(crate) fn anywhere() -> impl Strategy<Value = Move> {
    prop_oneof![
        6 => forward(),
        1 => (0_u64..130_000_000).prop_map(Move::Back),
        1 => prop_oneof![Just(59_999_999_u64), Just(60_000_000), Just(60_000_001)].prop_map(Move::Back),
        1 => (0_u64..1_200).prop_map(Move::BackWindow),
        1 => (-2_i64..=2).prop_map(Move::BackWhole),
    ]
}

pub(crate) fn asks() -> impl Strategy<Value = Ask> {
    prop_oneof![
        4 => (0_u64..4).prop_map(Ask::Units),
        4 => (0_u64..=256).prop_map(Ask::Part),
        3 => (0_u64..=2).prop_map(Ask::Remaining),
        2 => (0_u64..=1).prop_map(Ask::Capacity),
        1 => Just(Ask::Most),
    ]
}

impl Move {
    pub(crate) fn apply(self, now: u64, quota: &Quota, last: Option<&Outcome>) -> u64 {
        let window = quota
            .nominal_window()
            .map_or(30 * 86_400_000_000, |w| w.as_micros());
        let part = |parts: u64| (u128::from(window) * u128::from(parts) / 256) as u64;
        let span = |pick: fn(&Outcome) -> aforo_core::Span| last.map_or(0, |o| pick(o).as_micros());
        let moved = match self {
            Self::Stay => now,
            Self::Micros(micros) => now.saturating_add(micros),
            Self::Window(parts) => now.saturating_add(part(parts)),
            Self::Wait(less) => now.saturating_add(span(|o| o.wait).saturating_sub(less)),
            Self::NextUnit(less) => now.saturating_add(span(|o| o.next_unit).saturating_sub(less)),
            Self::WholeAgain(less) => {
                now.saturating_add(span(|o| o.whole_again).saturating_sub(less))
            }
            Self::Years(years) => now.saturating_add(years * YEAR),
            Self::Back(micros) => now.saturating_sub(micros),
            Self::BackWindow(parts) => now.saturating_sub(part(parts)),
            Self::BackWhole(more) => now
                .saturating_sub(span(|o| o.whole_again))
                .saturating_add_signed(-more),
        };
        moved.clamp(START / 2, END)
    }
}

impl Ask {
    pub(crate) fn cost(self, quota: &Quota, last: Option<&Outcome>) -> u64 {
        let capacity = quota.capacity();
        match self {
            Self::Units(units) => units,
            Self::Part(parts) => (u128::from(capacity) * u128::from(parts) / 256) as u64,
            Self::Remaining(more) => last.map_or(capacity, |o| o.remaining).saturating_add(more),
            Self::Capacity(more) => capacity.saturating_add(more),
            Self::Most => u64::MAX,
        }
    }
}

/// So many cases, or as many as `PROPTEST_CASES` says.
pub(crate) fn cases(number: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(number),
    }
}

/// One policy and partition key on its way through time.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) spec: Spec,
    pub(crate) quota: Quota,
    pub(crate) counter: Counter,
    pub(crate) now: u64,
    pub(crate) last: Option<Outcome>,
}

impl Run {
    pub(crate) fn new(spec: Spec) -> Self {
        Self {
            spec,
            quota: spec.quota(),
            counter: Counter::default(),
            now: START,
            last: None,
        }
    }

    pub(crate) fn move_by(&mut self, moved: Move) {
        self.now = moved.apply(self.now, &self.quota, self.last.as_ref());
    }

    pub(crate) fn cost(&self, ask: Ask) -> u64 {
        ask.cost(&self.quota, self.last.as_ref())
    }

    pub(crate) fn charge(&mut self, cost: u64) -> (Outcome, Taken) {
        let edges = self.spec.edges(self.now);
        let time = Timestamp::from_micros(self.now);
        let (outcome, taken) = self.counter.charge(&self.quota, time, edges.as_ref(), cost);
        self.last = Some(outcome);
        (outcome, taken)
    }

    /// What a charge would find, without taking it.
    pub(crate) fn would(&self, cost: u64, now: u64) -> Outcome {
        let mut run = self.clone();
        run.now = now;
        run.charge(cost).0
    }

    pub(crate) fn give_back(&mut self, taken: &Taken, units: u64) {
        let time = Timestamp::from_micros(self.now);
        self.counter.give_back(&self.quota, taken, units, time);
    }

    pub(crate) fn after(spec: Spec, steps: &[(Move, Ask)]) -> Self {
        let mut run = Self::new(spec);
        for (moved, ask) in steps {
            run.move_by(*moved);
            run.charge(run.cost(*ask));
        }
        run
    }
}
