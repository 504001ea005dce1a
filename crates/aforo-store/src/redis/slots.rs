//! Batches whose principals live on several servers of a cluster.
//!
//! The slots are charged one after the other in ascending order, so the batch holds what it took
//! before it knows the rest. Whatever ends it before it is taken as a whole, a denial, a failure
//! or a caller that went away, gives back what it held: never more is admitted than one script
//! would admit, for a moment less.

use std::collections::BTreeMap;

use aforo_core::{Charge, OnDenial, PartitionHash};
use smallvec::SmallVec;

use super::RedisStore;
use super::line::Line;
use super::question::{Heading, Question};
use super::reply::Reply;
use crate::{Charged, Receipt, ReceiptLine, StoreError};

/// What a batch took of the slots that it got to, until it is taken as a whole.
struct Held<'a> {
    line: &'a Line,
    corrections: Vec<Question>,
}

/// The charges of one slot, with their places in the batch.
struct Group<'c, 'b> {
    places: Vec<usize>,
    charges: Vec<&'c Charge<'b>>,
}

/// How many slots a cluster has.
const SLOTS: u16 = 16_384;

/// The slot of a principal's keys: that of the text between their braces (Redis Cluster
/// specification, "Key distribution model").
fn slot(principal: PartitionHash) -> u16 {
    let tag = format!("{:032x}", principal.0);
    crc16::State::<crc16::XMODEM>::calculate(tag.as_bytes()) % SLOTS
}

/// Whether the charges live in more than one slot.
pub(super) fn are_several(charges: &[&Charge<'_>]) -> bool {
    let mut slots = charges.iter().map(|charge| slot(charge.principal.hash));
    let first = slots.next();
    slots.any(|slot| Some(slot) != first)
}

/// The charges by slot, in ascending order; all together where one server keeps them.
pub(super) fn grouped<'c, 'b: 'c>(
    charges: impl Iterator<Item = &'c Charge<'b>>,
    is_cluster: bool,
) -> impl Iterator<Item = Vec<&'c Charge<'b>>> {
    let mut groups: BTreeMap<u16, Vec<&Charge<'_>>> = BTreeMap::new();
    for charge in charges {
        let slot = if is_cluster {
            slot(charge.principal.hash)
        } else {
            0
        };
        groups.entry(slot).or_default().push(charge);
    }
    groups.into_values()
}

impl RedisStore {
    /// Decides a batch over several slots.
    pub(super) async fn decide_over_slots(
        &self,
        charges: &[&Charge<'_>],
        receipt: Receipt,
        writing: bool,
    ) -> Result<Charged, StoreError> {
        let groups = groups(charges);
        let mut held = Held {
            line: &self.line,
            corrections: Vec::new(),
        };
        let mut replies = Vec::new();
        let mut taken = true;
        let heading = self.heading(writing);
        for group in &groups {
            let denied = heading.writing && !taken;
            let reply = self
                .ask(Heading { denied, ..heading }, &group.charges)
                .await?;
            if writing && reply.taken {
                let keep = |place| takes_on_denial(charges, place);
                let lines = group.lines(&reply, true).filter(|line| !keep(line.place));
                held.corrections
                    .extend(self.give_back(heading, lines, &receipt));
            }
            taken &= reply.taken;
            replies.push(reply);
        }
        if taken {
            held.corrections.clear();
        } else {
            held.give_back().await;
            if writing {
                self.count_denial(heading, &groups, &replies).await;
            }
        }
        Ok(charged(
            charges.len(),
            &groups,
            &replies,
            receipt,
            taken,
            writing,
        ))
    }

    /// Counts a denial in the slots that had taken the batch, for charges that did not fit there.
    async fn count_denial(&self, heading: Heading, groups: &[Group<'_, '_>], replies: &[Reply]) {
        let heading = Heading {
            denied: true,
            ..heading
        };
        for (group, reply) in groups.iter().zip(replies).filter(|(_, reply)| reply.taken) {
            let fits: Vec<usize> = group.lines(reply, true).map(|line| line.place).collect();
            let places = group.places.iter().zip(&group.charges);
            let late: Vec<&Charge<'_>> = places
                .filter(|(place, charge)| {
                    charge.on_denial == OnDenial::Take && !fits.contains(place)
                })
                .map(|(_, charge)| *charge)
                .collect();
            if !late.is_empty() {
                // A failure counts one denial less, and decides nothing.
                let _ = self.ask(heading, &late).await;
            }
        }
    }

    /// The questions that correct a receipt, one per slot.
    pub(super) fn corrections(
        &self,
        heading: Heading,
        receipt: &Receipt,
        true_cost: &(dyn Fn(usize) -> u64 + Sync),
    ) -> Vec<Question> {
        self.corrected(heading, receipt.lines().iter().copied(), receipt, true_cost)
    }

    fn give_back(
        &self,
        heading: Heading,
        lines: impl Iterator<Item = ReceiptLine>,
        receipt: &Receipt,
    ) -> Vec<Question> {
        self.corrected(heading, lines, receipt, &|_| 0)
    }

    fn corrected(
        &self,
        heading: Heading,
        lines: impl Iterator<Item = ReceiptLine>,
        receipt: &Receipt,
        true_cost: &(dyn Fn(usize) -> u64 + Sync),
    ) -> Vec<Question> {
        let mut questions: BTreeMap<u16, Question> = BTreeMap::new();
        for line in lines {
            let cost = true_cost(line.place);
            let Some(principal) = receipt.principal(line.place) else {
                continue;
            };
            if cost == line.taken.cost {
                continue;
            }
            let slot = if self.line.is_cluster() {
                slot(principal)
            } else {
                0
            };
            questions
                .entry(slot)
                .or_insert_with(|| Question::new(heading))
                .correct(&self.namespace, &line, principal, cost);
        }
        questions.into_values().collect()
    }
}

impl Held<'_> {
    async fn give_back(&mut self) {
        // Taken off first: what is asked twice could give back twice.
        while let Some(correction) = self.corrections.pop() {
            // A failure leaves the units taken until they flow back.
            let _ = self.line.ask(&correction).await;
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        for correction in self.corrections.drain(..) {
            self.line.ask_detached(correction);
        }
    }
}

impl Group<'_, '_> {
    /// The lines of a receipt for what a reply says was taken.
    fn lines<'t>(
        &'t self,
        reply: &'t Reply,
        taken: bool,
    ) -> impl Iterator<Item = ReceiptLine> + 't {
        let judged = reply.judged(&self.charges, taken);
        let seats = self.places.iter().zip(&self.charges);
        judged
            .zip(seats)
            .filter_map(|(judged, (place, charge))| judged.line(*place, charge))
    }
}

fn groups<'c, 'b>(charges: &[&'c Charge<'b>]) -> Vec<Group<'c, 'b>> {
    let mut groups: BTreeMap<u16, Group<'c, 'b>> = BTreeMap::new();
    for (place, charge) in charges.iter().enumerate() {
        let group = groups
            .entry(slot(charge.principal.hash))
            .or_insert_with(|| Group {
                places: Vec::new(),
                charges: Vec::new(),
            });
        group.places.push(place);
        group.charges.push(charge);
    }
    groups.into_values().collect()
}

fn takes_on_denial(charges: &[&Charge<'_>], place: usize) -> bool {
    charges
        .get(place)
        .is_some_and(|charge| charge.on_denial == OnDenial::Take)
}

/// The answer of all slots together, in the batch's order.
fn charged(
    count: usize,
    groups: &[Group<'_, '_>],
    replies: &[Reply],
    mut receipt: Receipt,
    taken: bool,
    writing: bool,
) -> Charged {
    let mut outcomes = vec![None; count];
    let mut lines = Vec::new();
    for (group, reply) in groups.iter().zip(replies) {
        let judged = reply.judged(&group.charges, taken);
        for (place, judged) in group.places.iter().zip(judged) {
            if let Some(outcome) = outcomes.get_mut(*place) {
                *outcome = Some(judged.outcome);
            }
        }
        if taken && writing {
            lines.extend(group.lines(reply, taken));
        }
    }
    lines.sort_by_key(|line: &ReceiptLine| line.place);
    for line in lines {
        receipt.push(line);
    }
    Charged {
        taken,
        outcomes: outcomes.into_iter().flatten().collect::<SmallVec<_>>(),
        receipt,
    }
}
