//! The logs under one lock.

use std::collections::HashMap;

use aforo_core::{
    Log, LogAssessment, PartitionHash, PrincipalKind, Shape, Stored, Taken, Timestamp,
};

use super::Logs;
use crate::ReceiptLine;
use crate::memory::seat::Seat;
use crate::memory::write::Proof;

/// The most entries of a shared log.
const SHARED_ENTRIES: usize = 16;
/// How long a shelf that holds only live logs is left alone, in microseconds.
const REST: u64 = 1 << 16;

/// The logs under one lock: those of partition keys, and one for each policy and kind of principal
/// that new partition keys share when the budget is spent.
#[derive(Debug, Default)]
pub(in crate::memory) struct Shelf {
    own: HashMap<LogKey, Log>,
    shared: HashMap<(PrincipalKind, u64), Log>,
    searched: Option<Timestamp>,
}

/// What a log is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::memory) struct LogKey {
    pub(in crate::memory) kind: PrincipalKind,
    pub(in crate::memory) policy: u64,
    pub(in crate::memory) partition: PartitionHash,
}

impl LogKey {
    /// The key of a line's log.
    pub(in crate::memory) fn of_line(line: &ReceiptLine) -> Self {
        Self {
            kind: line.kind,
            policy: line.tag,
            partition: line.partition,
        }
    }
}

impl Shelf {
    /// Puts a charge against the log of its partition key; where there is none, against `carried`
    /// from an entry of the same policy, or what new partition keys share.
    pub(in crate::memory) fn assess<'s>(
        &self,
        seat: &Seat<'s>,
        carried: Option<&Stored>,
        now: Timestamp,
        cost: u64,
    ) -> LogAssessment<'s> {
        if let Some(own) = self.own.get(&seat.log_key()) {
            return seat.quota.assess_log(own, now, cost);
        }
        let base = self.base(seat, carried, now);
        seat.quota.assess_log(&base.unwrap_or_default(), now, cost)
    }

    /// The log that a charge is put against, as a copy.
    pub(in crate::memory) fn copy(
        &self,
        seat: &Seat<'_>,
        carried: Option<&Stored>,
        now: Timestamp,
    ) -> Log {
        let own = self.own.get(&seat.log_key()).cloned();
        own.or_else(|| self.base(seat, carried, now))
            .unwrap_or_default()
    }

    /// What the log of a policy that is no longer counted by logs has used.
    pub(in crate::memory) fn stored(&self, key: &LogKey) -> Option<Stored> {
        self.own.get(key)?.stored()
    }

    /// The shape that a log is kept in.
    pub(in crate::memory) fn shape(&self, key: &LogKey) -> Option<Shape> {
        self.own.get(key)?.shape()
    }

    /// Drops a log.
    pub(in crate::memory) fn remove(&mut self, key: &LogKey, logs: &Logs) {
        if let Some(own) = self.own.remove(key) {
            logs.budget.give(key.kind, weight(&own));
        }
    }

    /// Gives units back to the log that has the entry.
    pub(in crate::memory) fn give_back(&mut self, line: &ReceiptLine, units: u64, logs: &Logs) {
        let (key, taken) = (&LogKey::of_line(line), &line.taken);
        let Some(own) = self.own.get_mut(key) else {
            if line.shared
                && let Some(shared) = self.shared.get_mut(&(key.kind, key.policy))
            {
                shared.give_back(taken, units);
            }
            return;
        };
        let before = weight(own);
        own.give_back(taken, units);
        let freed = before.saturating_sub(weight(own));
        logs.budget.give(key.kind, freed);
    }

    /// Writes what was assessed.
    pub(in crate::memory) fn write(
        &mut self,
        seat: &Seat<'_>,
        carried: Option<&Stored>,
        assessment: &LogAssessment<'_>,
        taken: bool,
        now: Timestamp,
        logs: &Logs,
    ) -> Proof {
        if self.own.contains_key(&seat.log_key()) {
            return Proof::own(self.write_own(seat, assessment, taken, now, logs));
        }
        let mut copy = self.base(seat, carried, now).unwrap_or_default();
        let proof = assessment.apply(&mut copy, taken);
        if !assessment.writes(taken) || copy.is_empty() {
            return Proof::own(proof);
        }
        if self.make_room(seat.kind, weight(&copy), now, logs) {
            logs.remember(seat.policy);
            self.own.insert(seat.log_key(), copy);
            return Proof::own(proof);
        }
        logs.count_shared();
        Proof {
            taken: self.write_shared(seat, assessment, taken),
            shared: true,
        }
    }

    fn write_own(
        &mut self,
        seat: &Seat<'_>,
        assessment: &LogAssessment<'_>,
        taken: bool,
        now: Timestamp,
        logs: &Logs,
    ) -> Taken {
        let key = seat.log_key();
        let grows = taken && assessment.writes(taken);
        // Found beforehand, so that looking for room does not drop this very log.
        let room = grows && self.make_room_beside(&key, now, logs);
        let Some(own) = self.own.get_mut(&key) else {
            return assessment.apply(&mut Log::default(), taken);
        };
        let before = weight(own);
        let proof = assessment.apply(own, taken);
        let held = before.saturating_add(usize::from(room));
        while own.len() > held {
            own.coalesce();
            logs.count_coalesced();
        }
        logs.budget.give(key.kind, held.saturating_sub(weight(own)));
        proof
    }

    fn write_shared(
        &mut self,
        seat: &Seat<'_>,
        assessment: &LogAssessment<'_>,
        taken: bool,
    ) -> Taken {
        let shared = self.shared.entry((seat.kind, seat.policy)).or_default();
        let proof = assessment.apply(shared, taken);
        while shared.len() > SHARED_ENTRIES {
            shared.coalesce();
        }
        proof
    }

    fn base(&self, seat: &Seat<'_>, carried: Option<&Stored>, now: Timestamp) -> Option<Log> {
        if let Some(stored) = carried {
            return Some(Log::carried(seat.quota, stored));
        }
        let shared = self.shared.get(&(seat.kind, seat.policy))?;
        (!shared.is_neutral(now)).then(|| shared.clone())
    }

    fn make_room(
        &mut self,
        kind: PrincipalKind,
        entries: usize,
        now: Timestamp,
        logs: &Logs,
    ) -> bool {
        logs.budget.take(kind, entries)
            || (self.drop_neutral(None, now, logs) && logs.budget.take(kind, entries))
    }

    fn make_room_beside(&mut self, key: &LogKey, now: Timestamp, logs: &Logs) -> bool {
        logs.budget.take(key.kind, 1)
            || (self.drop_neutral(Some(key), now, logs) && logs.budget.take(key.kind, 1))
    }

    /// Drops the logs that are neutral, except `keep`, and says whether there were any.
    fn drop_neutral(&mut self, keep: Option<&LogKey>, now: Timestamp, logs: &Logs) -> bool {
        let since = self
            .searched
            .map(|searched| now.as_micros().wrapping_sub(searched.as_micros()));
        if since.is_some_and(|since| since < REST) {
            return false;
        }
        let mut dropped = false;
        self.own.retain(|key, own| {
            let drop = keep != Some(key) && own.is_neutral(now);
            if drop {
                logs.budget.give(key.kind, weight(own));
                dropped = true;
            }
            !drop
        });
        self.searched = (!dropped).then_some(now);
        dropped
    }
}

/// What a log takes of the budget: one that is empty keeps its place, so that its next entries
/// are not taken for those of older receipts.
fn weight(log: &Log) -> usize {
    log.len().max(1)
}
