//! The Redis store: decisions a second beside what the server can do with the same script, and
//! what a caller's counters take of its memory.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]

mod benchmark;
mod cell;
mod counter;
mod footprint;
mod leases;
mod load;

use aforo_benches::Failure;
use aforo_benches::row::{Row, Target};
use aforo_benches::series::alternate;
use aforo_servers::Redis;

use crate::benchmark::Benchmark;
use crate::counter::Counter;
use crate::leases::Leases;
use crate::load::Load;

/// Rounds of each contender.
const ROUNDS: usize = 9;

fn main() -> Result<(), Failure> {
    let server = Redis::start();
    let [one, three] = [1, 3].map(|policies| Load::new(&server, policies));
    let (one, three) = (one?, three?);
    let benchmark = Benchmark::of_last_question(&server, &one)?;
    let counter = Counter::new(&server)?;
    let [ours, of_three, theirs, counted] = alternate(
        ROUNDS,
        [
            &mut || one.micros_per_decision(),
            &mut || three.micros_per_decision(),
            &mut || benchmark.micros_per_question(&server),
            &mut || counter.micros_per_count(),
        ],
    )?;
    let rows = [
        Row::times_faster(
            "redis: decisions, 64 in flight, over `redis-benchmark -c 64 -P 1` with the same script",
            &ours,
            &theirs,
            "µs",
            Target::AtLeast(0.85),
        ),
        Row::times_faster(
            "redis: batches of three policies, over batches of one",
            &of_three,
            &ours,
            "µs",
            Target::AtLeast(0.6),
        ),
        Row::times_faster(
            "redis: decisions, over `INCR` + `EXPIRE` in one pipeline by the same client",
            &ours,
            &counted,
            "µs",
            Target::Told,
        ),
        footprint::row()?,
    ];
    rows.iter().for_each(|row| println!("{row}"));
    let leases = Leases::new(&server)?;
    let [leased, exact] = alternate(
        ROUNDS,
        [&mut || leases.leased_micros(), &mut || {
            leases.exact_micros()
        }],
    )?;
    let row = Row::times_faster(
        "redis: 64 hot partition keys, leased, over exact",
        &leased,
        &exact,
        "µs",
        Target::AtLeast(10.0),
    );
    println!("{row}");
    if let Some((other, cell)) = cell::server()? {
        let [ours, theirs] = alternate(
            ROUNDS,
            [&mut || one.micros_per_decision(), &mut || {
                cell.micros_per_question(&other)
            }],
        )?;
        let what = "redis: decisions, over `redis-benchmark -c 64 -P 1` with redis-cell 0.2.2";
        let row = Row::times_faster(what, &ours, &theirs, "µs", Target::Told);
        println!("{row}");
    }
    Ok(())
}
