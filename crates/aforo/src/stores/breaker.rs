//! Not asking a store that fails, but for one question a second.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aforo_core::{Span, Timestamp};

use super::StoreState;

/// How many failures in a row open it.
const MOST_FAILURES: u32 = 5;
/// How often a failing store is asked whether it is back.
pub(super) const PROBE_INTERVAL: Span = Span::from_seconds(1);

/// Counts failures in a row. After five of them only one question a second is let through, until
/// one is answered.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    /// Failures in a row: read without the lock, since it is zero almost always.
    failures: AtomicU32,
    circuit: Mutex<Circuit>,
}

#[derive(Debug, Default)]
struct Circuit {
    open: Option<Open>,
    /// How often it has closed: a failure of a question from before says nothing about now.
    closings: u64,
}

#[derive(Debug)]
struct Open {
    state: StoreState,
    next_probe: Timestamp,
    /// The probe under way: its number, and when another may follow even without its end.
    probing: Option<(u64, Timestamp)>,
    probes: u64,
}

/// A question that is let through. Dropped without a word, it says nothing about the store.
#[derive(Debug)]
#[must_use]
pub(crate) struct Passed<'b> {
    breaker: &'b Breaker,
    closings: u64,
    probe: Option<u64>,
}

impl Breaker {
    /// Lets a question through, or not. `patience` is how long an answer may take.
    pub(crate) fn let_through(&self, now: Timestamp, patience: Span) -> Option<Passed<'_>> {
        let mut circuit = self.circuit();
        let closings = circuit.closings;
        let probe = match &mut circuit.open {
            None => None,
            Some(open) => Some(open.probe(now, patience)?),
        };
        Some(Passed {
            breaker: self,
            closings,
            probe,
        })
    }

    pub(super) fn state(&self) -> StoreState {
        match &self.circuit().open {
            None => StoreState::Answers,
            Some(open) => open.state,
        }
    }

    fn circuit(&self) -> MutexGuard<'_, Circuit> {
        self.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// The number of a probe, when one is due.
    fn probe(&mut self, now: Timestamp, patience: Span) -> Option<u64> {
        // A clock that was set back does not put the next probe off.
        let early = now < self.next_probe && self.next_probe.since(now) <= PROBE_INTERVAL;
        let under_way = self
            .probing
            .is_some_and(|(_, until)| now < until && until.since(now) <= lifetime(patience));
        if early || under_way {
            return None;
        }
        self.probes = self.probes.saturating_add(1);
        self.next_probe = now.plus(PROBE_INTERVAL);
        self.probing = Some((self.probes, now.plus(lifetime(patience))));
        Some(self.probes)
    }
}

/// How long a probe may be under way: one that is neither answered nor dropped by then belongs to
/// a future that nobody polls.
fn lifetime(patience: Span) -> Span {
    patience.plus(PROBE_INTERVAL)
}

impl Passed<'_> {
    /// It was answered; the new state, when that closes the circuit.
    pub(crate) fn answered(self) -> Option<StoreState> {
        if self.probe.is_none() && self.breaker.failures.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut circuit = self.breaker.circuit();
        self.breaker.failures.store(0, Ordering::Relaxed);
        circuit.open.take()?;
        circuit.closings = circuit.closings.saturating_add(1);
        Some(StoreState::Answers)
    }

    /// It was not; the new state, when it is another. `state` is what failing now means.
    pub(crate) fn failed(self, now: Timestamp, state: StoreState) -> Option<StoreState> {
        let mut circuit = self.breaker.circuit();
        if circuit.closings != self.closings {
            return None;
        }
        if let Some(open) = &mut circuit.open {
            if self.probe.is_some() {
                let before = std::mem::replace(&mut open.state, state);
                return (before != state).then_some(state);
            }
            return None;
        }
        let failures = &self.breaker.failures;
        let count = failures.load(Ordering::Relaxed).saturating_add(1);
        failures.store(count, Ordering::Relaxed);
        if count < MOST_FAILURES && state != StoreState::HashKeyDiffers {
            return None;
        }
        circuit.open = Some(Open {
            state,
            next_probe: now.plus(PROBE_INTERVAL),
            probing: None,
            probes: 0,
        });
        Some(state)
    }
}

impl Drop for Passed<'_> {
    fn drop(&mut self) {
        let Some(number) = self.probe else { return };
        let mut circuit = self.breaker.circuit();
        if let Some(open) = &mut circuit.open
            && open.probing.is_some_and(|(probing, _)| probing == number)
        {
            open.probing = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Span = Span::from_millis(50);

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_seconds(1_000).plus(Span::from_millis(millis))
    }

    fn fail(breaker: &Breaker, millis: u64) -> Option<StoreState> {
        let passed = breaker.let_through(at(millis), PATIENCE).unwrap();
        passed.failed(at(millis), StoreState::Fails)
    }

    fn opened() -> Breaker {
        let breaker = Breaker::default();
        for _ in 0..4 {
            assert_eq!(fail(&breaker, 0), None);
        }
        assert_eq!(fail(&breaker, 0), Some(StoreState::Fails));
        breaker
    }

    fn lets_through(breaker: &Breaker, millis: u64) -> bool {
        breaker.let_through(at(millis), PATIENCE).is_some()
    }

    #[test]
    fn rlx_31_five_failures_open_it_and_one_probe_a_second_passes() {
        let breaker = opened();
        assert_eq!(breaker.state(), StoreState::Fails);
        assert!(!lets_through(&breaker, 999));
        let probe = breaker.let_through(at(1_000), PATIENCE).unwrap();
        assert!(!lets_through(&breaker, 1_000));
        assert_eq!(probe.failed(at(1_050), StoreState::Fails), None);
        assert!(!lets_through(&breaker, 1_999));
        let probe = breaker.let_through(at(2_000), PATIENCE).unwrap();
        assert_eq!(probe.answered(), Some(StoreState::Answers));
        assert_eq!(breaker.state(), StoreState::Answers);
        assert!(lets_through(&breaker, 2_000));
    }

    #[test]
    fn an_answer_in_between_counts_from_zero() {
        let breaker = Breaker::default();
        for _ in 0..3 {
            for _ in 0..4 {
                assert_eq!(fail(&breaker, 0), None);
            }
            let passed = breaker.let_through(at(0), PATIENCE).unwrap();
            assert_eq!(passed.answered(), None);
        }
        assert_eq!(breaker.state(), StoreState::Answers);
    }

    #[test]
    fn a_probe_whose_caller_left_is_followed_by_another_a_second_later() {
        let breaker = opened();
        drop(breaker.let_through(at(1_000), PATIENCE).unwrap());
        assert!(!lets_through(&breaker, 1_500));
        assert!(lets_through(&breaker, 2_000));
    }

    #[test]
    fn a_probe_that_nobody_polls_does_not_keep_others_away() {
        let breaker = opened();
        let stuck = breaker.let_through(at(1_000), PATIENCE).unwrap();
        assert!(!lets_through(&breaker, 2_049));
        let probe = breaker.let_through(at(2_050), PATIENCE).unwrap();
        drop(stuck);
        assert!(!lets_through(&breaker, 2_060), "the second is under way");
        assert_eq!(probe.answered(), Some(StoreState::Answers));
    }

    #[test]
    fn a_failure_of_a_question_from_before_says_nothing_about_now() {
        let breaker = Breaker::default();
        let late: Vec<_> = (0..9)
            .map(|_| breaker.let_through(at(0), PATIENCE).unwrap())
            .collect();
        for _ in 0..5 {
            let _ = fail(&breaker, 0);
        }
        let probe = breaker.let_through(at(1_000), PATIENCE).unwrap();
        assert_eq!(probe.answered(), Some(StoreState::Answers));
        for passed in late {
            assert_eq!(passed.failed(at(1_001), StoreState::Fails), None);
        }
        assert_eq!(breaker.state(), StoreState::Answers);
    }

    #[test]
    fn another_hash_key_opens_it_at_once() {
        let breaker = Breaker::default();
        let passed = breaker.let_through(at(0), PATIENCE).unwrap();
        let differs = StoreState::HashKeyDiffers;
        assert_eq!(passed.failed(at(0), differs), Some(differs));
        assert!(!lets_through(&breaker, 500));
        let probe = breaker.let_through(at(1_000), PATIENCE).unwrap();
        let fails = StoreState::Fails;
        assert_eq!(probe.failed(at(1_001), fails), Some(fails));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_put_the_probe_off() {
        let breaker = opened();
        let before = Timestamp::from_seconds(10);
        assert!(breaker.let_through(before, PATIENCE).is_some());
    }
}
