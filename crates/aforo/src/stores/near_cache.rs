//! Denials of a shared store, remembered for up to a second, so that a caller in a retry loop costs
//! the store nothing.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aforo_core::{Charge, Outcome, Quota, Span, Timestamp, Verdict};
use smallvec::SmallVec;

/// How long a denial is remembered at most.
const LONGEST: Span = Span::from_seconds(1);
/// The most partition keys of a shelf.
const SHELF: usize = 1_024;
const SHELVES: usize = 16;
/// The most costs of a partition key: a request that costs something else asks the store.
const COSTS: usize = 4;

/// The denials that are remembered: at most 16,384 partition keys with four costs each.
#[derive(Debug, Default)]
pub(super) struct NearCache {
    shelves: [Mutex<Shelf>; SHELVES],
}

/// A policy's tag and a partition key.
type Place = (u64, u128);

#[derive(Debug, Default)]
struct Shelf {
    denied: HashMap<Place, Denied>,
    swept: Timestamp,
}

/// The denials of one policy and partition key, under one quota.
#[derive(Debug)]
struct Denied {
    quota: Quota,
    denials: SmallVec<[Denial; 1]>,
}

#[derive(Debug)]
struct Denial {
    cost: u64,
    /// When the store was asked, by our clock; it decided no earlier.
    sent: Timestamp,
    outcome: Outcome,
}

impl Denial {
    /// The outcome at `now`, while it is sure: a charge of the same cost is denied until the wait
    /// is over.
    fn at(&self, now: Timestamp) -> Option<Outcome> {
        let passed = (now >= self.sent).then(|| now.since(self.sent))?;
        if passed >= self.outcome.wait.min(LONGEST) {
            return None;
        }
        let left =
            |span: Span| Span::from_micros(span.as_micros().saturating_sub(passed.as_micros()));
        let wait = left(self.outcome.wait);
        let next_unit = left(self.outcome.next_unit);
        Some(Outcome {
            wait,
            // Units that flowed back meanwhile are not shown, so the next one is not promised early.
            next_unit: if next_unit.is_zero() { wait } else { next_unit },
            whole_again: left(self.outcome.whole_again),
            at: self.outcome.at.plus(passed),
            ..self.outcome
        })
    }
}

impl NearCache {
    /// The denial of this charge, when the store has denied it lately.
    pub(super) fn denial(&self, charge: &Charge<'_>, now: Timestamp) -> Option<Outcome> {
        let place = place_of(charge);
        let shelf = self.shelf(place);
        let denied = shelf.denied.get(&place)?;
        let same_quota = denied.quota == *charge.terms.quota();
        let mut denials = denied.denials.iter().filter(|_| same_quota);
        denials
            .find(|denial| denial.cost == charge.cost)
            .and_then(|denial| denial.at(now))
    }

    /// Remembers what the store said to a charge that it was asked at `sent`.
    pub(super) fn remember(&self, charge: &Charge<'_>, outcome: &Outcome, sent: Timestamp) {
        if outcome.verdict != Verdict::Denied || outcome.wait.is_zero() {
            return;
        }
        let denial = Denial {
            cost: charge.cost,
            sent,
            outcome: *outcome,
        };
        let place = place_of(charge);
        let mut shelf = self.shelf(place);
        if !shelf.denied.contains_key(&place) && !shelf.has_room(sent) {
            return;
        }
        let quota = *charge.terms.quota();
        let denied = shelf.denied.entry(place).or_insert_with(|| Denied {
            quota,
            denials: SmallVec::new(),
        });
        if denied.quota != quota {
            denied.quota = quota;
            denied.denials.clear();
        }
        let denials = &mut denied.denials;
        denials.retain(|known| known.cost != denial.cost && known.at(sent).is_some());
        // The smallest costs are kept: they are what a retry loop asks for.
        denials.push(denial);
        denials.sort_by_key(|denial| denial.cost);
        denials.truncate(COSTS);
    }

    /// Forgets what is remembered of a charge's partition key.
    pub(super) fn forget(&self, charge: &Charge<'_>) {
        let place = place_of(charge);
        self.shelf(place).denied.remove(&place);
    }

    fn shelf(&self, (_, partition): Place) -> MutexGuard<'_, Shelf> {
        let [first, ..] = &self.shelves;
        let shelf = self.shelves.get(partition as usize % SHELVES);
        shelf
            .unwrap_or(first)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    /// Whether one more partition key has room; drops what is over, a few times a second at most.
    fn has_room(&mut self, now: Timestamp) -> bool {
        if self.denied.len() < SHELF {
            return true;
        }
        let rests = Span::from_millis(100);
        if self.swept <= now && now.since(self.swept) < rests {
            return false;
        }
        self.swept = now;
        self.denied
            .retain(|_, denied| denied.denials.iter().any(|denial| denial.at(now).is_some()));
        self.denied.len() < SHELF
    }
}

fn place_of(charge: &Charge<'_>) -> Place {
    (charge.terms.tag(), charge.partition.0)
}

#[cfg(test)]
mod tests {
    use aforo_core::{PartitionHash, PolicyName, Principal, Terms};

    use super::*;

    fn terms(amount: u64) -> Terms {
        let quota = Quota::token_bucket(amount, Span::from_seconds(60), None).unwrap();
        Terms::new(PolicyName::new("p").unwrap(), quota)
    }

    fn charge(terms: &Terms, partition: u128, cost: u64) -> Charge<'_> {
        let hash = PartitionHash(partition);
        Charge::new(terms, Principal::stranger(hash), cost)
    }

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_seconds(1_000).plus(Span::from_millis(millis))
    }

    /// A denial that the store dated ten seconds before our clock.
    fn denied(wait: u64) -> Outcome {
        Outcome {
            verdict: Verdict::Denied,
            capacity: 60,
            remaining: 0,
            wait: Span::from_millis(wait),
            next_unit: Span::from_millis(wait),
            whole_again: Span::from_seconds(60),
            delay: Span::ZERO,
            edge: None,
            at: Timestamp::from_seconds(990),
        }
    }

    #[test]
    fn a_denial_lasts_until_its_wait_is_over_from_when_the_question_was_sent() {
        let (cache, terms) = (NearCache::default(), terms(60));
        let one = charge(&terms, 1, 1);
        cache.remember(&one, &denied(300), at(0));
        let seen = cache.denial(&one, at(100)).unwrap();
        assert_eq!(seen.wait, Span::from_millis(200));
        assert_eq!(seen.whole_again, Span::from_millis(59_900));
        let store_time = Timestamp::from_seconds(990).plus(Span::from_millis(100));
        assert_eq!(seen.at, store_time);
        assert!(cache.denial(&one, at(299)).is_some());
        assert!(cache.denial(&one, at(300)).is_none());
        let before = Timestamp::from_seconds(999);
        assert!(cache.denial(&one, before).is_none(), "a clock set back");
    }

    #[test]
    fn it_is_never_older_than_a_second() {
        let (cache, terms) = (NearCache::default(), terms(60));
        let one = charge(&terms, 1, 1);
        cache.remember(&one, &denied(60_000), at(0));
        assert!(cache.denial(&one, at(999)).is_some());
        assert!(cache.denial(&one, at(1_000)).is_none());
    }

    #[test]
    fn another_cost_key_or_quota_asks_the_store() {
        let (cache, sixty, ninety) = (NearCache::default(), terms(60), terms(90));
        cache.remember(&charge(&sixty, 1, 5), &denied(500), at(0));
        for other in [
            charge(&sixty, 1, 4),
            charge(&sixty, 1, 6),
            charge(&sixty, 2, 5),
            charge(&ninety, 1, 5),
        ] {
            assert!(cache.denial(&other, at(1)).is_none(), "{other:?}");
        }
        cache.remember(&charge(&sixty, 1, 4), &denied(400), at(2));
        let four = cache.denial(&charge(&sixty, 1, 4), at(2)).unwrap();
        assert_eq!(four.wait, Span::from_millis(400));
        let five = cache.denial(&charge(&sixty, 1, 5), at(2)).unwrap();
        assert_eq!(five.wait, Span::from_millis(498));
    }

    #[test]
    fn what_is_no_denial_is_not_remembered() {
        let (cache, terms) = (NearCache::default(), terms(60));
        let one = charge(&terms, 1, 1);
        for verdict in [Verdict::Allowed, Verdict::Impossible] {
            let outcome = Outcome {
                verdict,
                ..denied(500)
            };
            cache.remember(&one, &outcome, at(0));
            assert!(cache.denial(&one, at(0)).is_none());
        }
        cache.remember(&one, &denied(500), at(0));
        cache.forget(&one);
        assert!(cache.denial(&one, at(0)).is_none());
    }

    #[test]
    fn it_is_bounded_and_makes_room_for_what_is_new() {
        let (cache, terms) = (NearCache::default(), terms(60));
        let keys = |cache: &NearCache| -> usize {
            let shelves = cache.shelves.iter();
            shelves
                .map(|shelf| shelf.lock().unwrap().denied.len())
                .sum()
        };
        for partition in 0..100_000 {
            cache.remember(&charge(&terms, partition, 1), &denied(500), at(0));
        }
        assert_eq!(keys(&cache), SHELF * SHELVES);
        let new = charge(&terms, 200_000, 1);
        cache.remember(&new, &denied(500), at(600));
        assert!(cache.denial(&new, at(600)).is_some());
        for cost in 1..100 {
            cache.remember(&charge(&terms, 7, cost), &denied(500), at(600));
        }
        let known =
            (1..100).filter(|cost| cache.denial(&charge(&terms, 7, *cost), at(600)).is_some());
        assert_eq!(known.collect::<Vec<u64>>(), [1, 2, 3, 4]);
    }
}
