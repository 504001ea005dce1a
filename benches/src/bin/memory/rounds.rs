//! Rounds of many charges.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aforo_benches::row::{Row, Target};
use aforo_benches::series::alternate;
use aforo_benches::{Failure, cpu, keys};

use crate::charger::Charger;

/// How many rounds each side has.
const ROUNDS: usize = 7;

/// How many charges each thread makes in a round.
const CHARGES: usize = 1 << 19;

/// How many threads charge at once.
#[derive(Clone, Copy)]
pub(crate) enum Threads {
    /// One: its CPU time counts.
    One,
    /// Two: the time until both are done counts, since who waits for a lock takes no CPU time.
    Two,
}

/// Which keys, by how many threads.
pub(crate) struct Pace<'a> {
    what: &'a str,
    /// Keys are taken from the first so many.
    range: usize,
    threads: Threads,
}

impl<'a> Pace<'a> {
    /// Charges of the first `range` keys.
    pub(crate) fn of(what: &'a str, range: usize, threads: Threads) -> Self {
        Self {
            what,
            range,
            threads,
        }
    }

    /// Both sides in turn.
    pub(crate) fn compare(
        &self,
        ours: &impl Charger,
        theirs: &impl Charger,
        target: Target,
    ) -> Result<Row, Failure> {
        let orders = [1, 2].map(|seed| keys::places(self.range, CHARGES, seed));
        let [ours, theirs] = alternate(
            ROUNDS,
            [&mut || self.round(ours, &orders), &mut || {
                self.round(theirs, &orders)
            }],
        )?;
        Ok(Row::times_faster(self.what, &ours, &theirs, "ns", target))
    }

    /// Nanoseconds for a charge.
    fn round(
        &self,
        charger: &impl Charger,
        [first, second]: &[Vec<u32>; 2],
    ) -> Result<f64, Failure> {
        let denied = AtomicUsize::new(0);
        let charge = |order: &[u32]| {
            let refused = order.iter().filter(|place| !charger.charge(**place));
            denied.fetch_add(refused.count(), Ordering::Relaxed);
        };
        let spent = match self.threads {
            Threads::One => cpu::spent(|| charge(first)),
            Threads::Two => together(|| charge(first), || charge(second)),
        };
        match denied.into_inner() {
            0 => Ok(spent.as_nanos() as f64 / CHARGES as f64),
            some => Err(format!("{some} charges were denied: the quota is too small").into()),
        }
    }
}

/// Runs both at once; the time until both are done.
fn together(first: impl FnOnce() + Send, second: impl FnOnce() + Send) -> Duration {
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            start.wait();
            cpu::elapsed(second).1
        });
        start.wait();
        let (_, mine) = cpu::elapsed(first);
        other.join().map_or(mine, |other| other.max(mine))
    })
}
