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
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Keys are taken from the first so many.
    pub(crate) range: usize,
    /// By how many threads.
    pub(crate) threads: Threads,
}

/// Both sides in turn.
pub(crate) fn compare(
    what: &str,
    pace: Pace,
    ours: &impl Charger,
    theirs: &impl Charger,
    target: Target,
) -> Result<Row, Failure> {
    let orders = [
        keys::places(pace.range, CHARGES, 1),
        keys::places(pace.range, CHARGES, 2),
    ];
    let [ours, theirs] = alternate(
        ROUNDS,
        [&mut || round(ours, pace, &orders), &mut || {
            round(theirs, pace, &orders)
        }],
    )?;
    Ok(Row::times_faster(what, &ours, &theirs, "ns", target))
}

/// Nanoseconds for a charge.
fn round(
    charger: &impl Charger,
    pace: Pace,
    [first, second]: &[Vec<u32>; 2],
) -> Result<f64, Failure> {
    let denied = AtomicUsize::new(0);
    let charge = |order: &[u32]| {
        let refused = order
            .iter()
            .filter(|place| !charger.charge(**place))
            .count();
        denied.fetch_add(refused, Ordering::Relaxed);
    };
    let spent = match pace.threads {
        Threads::One => cpu::spent(|| charge(first)),
        Threads::Two => together(|| charge(first), || charge(second)),
    };
    match denied.into_inner() {
        0 => Ok(spent.as_nanos() as f64 / CHARGES as f64),
        some => Err(format!("{some} charges were denied: the quota is too small").into()),
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
