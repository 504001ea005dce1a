//! One long sequence of everything that can happen to a store.

use aforo_core::{
    CalendarUnit, Charge, Edges, Mode, OnDenial, Principal, Quota, Span, Terms, Timestamp, Window,
};

use super::caller::{batch, bucket, charge, fixed, known, part, seconds, stranger, terms};
use super::random::Random;
use super::reference::Reference;
use crate::{ManualClock, Receipt, ReceiptLine, Store};

/// What a sequence holds besides charges, refunds, settlements and resets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spice {
    /// The clock is also set back.
    pub(super) clock_steps: bool,
    /// Quotas and algorithms change.
    pub(super) changed_quotas: bool,
    /// There is one caller only.
    pub(super) one_caller: bool,
}

/// A sequence, the same for the same seed.
pub(super) struct Sequence {
    seed: u64,
    step: usize,
    spice: Spice,
    random: Random,
    clock: ManualClock,
    now: Timestamp,
    policies: Vec<Terms>,
    callers: Vec<Principal>,
    reference: Reference,
    receipts: Vec<Held>,
}

/// A receipt that was not used yet.
struct Held {
    receipt: Receipt,
    lines: Vec<ReceiptLine>,
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// The quotas that policies have, one of each algorithm and kind of window.
fn quotas() -> Vec<Quota> {
    let quotas = [
        Ok(bucket(10, 60, 10)),
        Ok(bucket(7, 10, 30)),
        Quota::token_bucket(1_000, seconds(1), Some(1)),
        Quota::leaky_bucket(5, seconds(10), seconds(6)),
        Ok(fixed(12, 60)),
        Quota::fixed_window(9, Window::FirstHit(seconds(45))),
        Quota::fixed_window(20, Window::Calendar(CalendarUnit::Minute)),
        Quota::sliding_window(15, seconds(30)),
        Quota::sliding_window(1_000, seconds(3_600)),
        Quota::sliding_log(8, seconds(20)),
        Quota::sliding_log(30, seconds(300)),
    ];
    quotas
        .into_iter()
        .map(|quota| quota.expect("a valid quota"))
        .collect()
}

impl Sequence {
    pub(super) fn new(seed: u64, spice: Spice, clock: ManualClock) -> Self {
        let mut random = Random::new(seed);
        let quotas = quotas();
        let start = random.below(quotas.len() as u64) as usize;
        let policies = NAMES.iter().zip(quotas.iter().cycle().skip(start));
        let policies = policies.map(|(name, quota)| terms(name, *quota)).collect();
        let strangers = (0..3).map(stranger);
        Self {
            seed,
            step: 0,
            spice,
            random,
            now: crate::Clock::now(&clock),
            clock,
            policies,
            callers: match spice.one_caller {
                true => vec![known(10)],
                false => strangers.chain((10..12).map(known)).collect(),
            },
            reference: Reference::default(),
            receipts: Vec::new(),
        }
    }

    pub(super) async fn run(mut self, store: &impl Store, steps: usize) {
        for step in 0..steps {
            self.step = step;
            self.move_clock();
            match self.random.below(20) {
                0 | 1 => self.refund(store).await,
                2 | 3 => self.settle(store).await,
                4 => self.reset(store).await,
                5 if self.spice.changed_quotas => self.change_quota(),
                _ => self.charge(store).await,
            }
        }
    }

    fn move_clock(&mut self) {
        let span = match self.random.below(8) {
            0..=2 => 0,
            3 => self.random.below(2_000),
            4 | 5 => self.random.below(1_500_000),
            6 => self.random.below(20_000_000),
            _ => self.random.below(200_000_000),
        };
        let span = Span::from_micros(span);
        let back = self.spice.clock_steps && self.random.one_in(6);
        self.now = match back {
            true if self.random.one_in(3) => self.now.minus(seconds(self.random.below(10_000))),
            true => self.now.minus(span),
            false => self.now.plus(span),
        };
        self.clock.set(self.now);
    }

    fn change_quota(&mut self) {
        let quota = *self.random.of(&quotas());
        let policy = self.random.below(self.policies.len() as u64) as usize;
        self.policies[policy] = terms(NAMES[policy], quota);
    }

    /// A few charges, each policy and caller once, none of which is up to the store.
    fn charges<'t>(&mut self, policies: &'t [Terms]) -> Vec<Charge<'t>> {
        let mut charges: Vec<Charge<'t>> = Vec::new();
        for _ in 0..self.random.below(6) {
            let policy = self.random.of(policies);
            let caller = *self.random.of(&self.callers);
            let capacity = policy.quota().capacity();
            let cost = match self.random.below(8) {
                0 => 0,
                1 => self.random.below(capacity + 3),
                2 => capacity,
                3 => self.random.below(capacity / 2 + 1),
                _ => 1,
            };
            let mut charge = charge(policy, caller, cost);
            if self.random.one_in(4) {
                charge.partition = part(caller, self.random.below(2));
            }
            if self.random.one_in(5) {
                charge.mode = Mode::Shadow;
            }
            if self.random.one_in(4) {
                charge.on_denial = OnDenial::Take;
            }
            if let Window::Calendar(_) = policy.quota().window() {
                charge.edges = Some(minute_edges(self.now));
            }
            let same = |held: &Charge<'_>| {
                (held.terms.tag(), held.partition) == (charge.terms.tag(), charge.partition)
            };
            if !charges.iter().any(same) && !self.reference.is_open(&charge, self.now) {
                charges.push(charge);
            }
        }
        charges
    }

    async fn charge(&mut self, store: &impl Store) {
        let policies = self.policies.clone();
        let charges = self.charges(&policies);
        let asked = batch(&charges);
        let place = format!("seed {}, step {}: {charges:?}", self.seed, self.step);
        if self.random.one_in(4) {
            let (taken, outcomes, _) = self.reference.clone().charge(&charges, self.now);
            let peeked = store.peek(&asked).await.expect("the store answers");
            assert_eq!(peeked.taken, taken, "peek, {place}");
            assert_eq!(peeked.outcomes.as_slice(), outcomes, "peek, {place}");
        }
        let (taken, outcomes, lines) = self.reference.charge(&charges, self.now);
        let charged = store.charge(&asked).await.expect("the store answers");
        assert_eq!(charged.taken, taken, "{place}");
        assert_eq!(charged.outcomes.as_slice(), outcomes, "{place}");
        let receipt = charged.receipt;
        let places = receipt.lines().iter().map(|line| line.place);
        let expected = lines.iter().map(|line| line.place);
        assert!(places.eq(expected), "receipt, {place}");
        if !lines.is_empty() {
            self.receipts.push(Held { receipt, lines });
        }
    }

    async fn refund(&mut self, store: &impl Store) {
        let Some(mut held) = self.take_receipt() else {
            return;
        };
        if self.random.one_in(3) {
            held.receipt.retain(|place| place % 2 == 0);
            held.lines.retain(|line| line.place % 2 == 0);
        }
        for line in &held.lines {
            self.reference.give_back(line, line.taken.cost, self.now);
        }
        store.refund(held.receipt).await.expect("the store answers");
    }

    async fn settle(&mut self, store: &impl Store) {
        let Some(held) = self.take_receipt() else {
            return;
        };
        let costs: Vec<u64> = (0..8).map(|_| self.random.below(12)).collect();
        for line in &held.lines {
            let (cost, true_cost) = (line.taken.cost, costs[line.place]);
            if true_cost <= cost {
                self.reference.give_back(line, cost - true_cost, self.now);
                continue;
            }
            self.reference.take_more(line, true_cost - cost, self.now);
        }
        let asked = |place: usize| costs[place];
        let settled = store.settle(held.receipt, &asked);
        settled.await.expect("the store answers");
    }

    async fn reset(&mut self, store: &impl Store) {
        let policies = self.policies.clone();
        let charges = self.charges(&policies);
        for charge in &charges {
            self.reference.reset(charge);
        }
        store
            .reset(&batch(&charges))
            .await
            .expect("the store answers");
    }

    fn take_receipt(&mut self) -> Option<Held> {
        let place = self.random.below(self.receipts.len() as u64) as usize;
        (place < self.receipts.len()).then(|| self.receipts.swap_remove(place))
    }
}

/// The edges of minutes around an instant.
fn minute_edges(now: Timestamp) -> Edges {
    let start = now.as_micros() - now.as_micros() % 60_000_000;
    let edge = |minutes: u64| Timestamp::from_micros(start + minutes * 60_000_000);
    let previous = edge(0).minus(seconds(60));
    Edges::new([previous, edge(0), edge(1), edge(2)]).expect("edges in order")
}
