//! The memory store beside governor: one charge by a caller's key bytes, hashing included.
//!
//! `memory` prints table rows, `memory --three` the row of a batch; `memory --resident WHO` prints what `WHO` keeps resident with
//! every key live, in a process of its own.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]

mod charger;
mod footprint;
mod rounds;

use aforo_benches::Failure;
use aforo_benches::batched::{Batched, ThreeGoverned};
use aforo_benches::governed::Governed;
use aforo_benches::keys::{self, HOT, KEYS};
use aforo_benches::row::{Row, Target};
use aforo_benches::stored::Stored;

use charger::{Told, fill};
use rounds::{Pace, Threads};

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => time_rows()?
            .iter()
            .chain(&footprint::rows()?)
            .for_each(|row| println!("{row}")),
        ["--three"] => println!("{}", three_row()?),
        ["--resident", who] => println!("{}", footprint::resident(who)?),
        _ => return Err("usage: memory [--three | --resident aforo|governor]".into()),
    }
    Ok(())
}

/// The rows of time.
fn time_rows() -> Result<Vec<Row>, Failure> {
    let ours = Stored::new(keys::contiguous())?;
    let theirs = Governed::new(charger::strings())?;
    let inline = Governed::new((0..KEYS).map(keys::array).collect())?;
    fill(&ours)?;
    fill(&theirs)?;
    fill(&inline)?;
    let told = Told(&ours);
    let [one, two] = [Threads::One, Threads::Two];
    Ok(vec![
        Pace::of("memory: one charge, 2²⁰ keys uniform", KEYS, one).compare(
            &ours,
            &theirs,
            Target::AtLeast(2.0),
        )?,
        Pace::of("memory: one charge, 64 hot keys", HOT, one).compare(
            &ours,
            &theirs,
            Target::AtLeast(1.3),
        )?,
        Pace::of("memory: two threads, 2²⁰ keys uniform", KEYS, two).compare(
            &ours,
            &theirs,
            Target::AtLeast(1.3),
        )?,
        Pace::of("memory: two threads, 64 hot keys", HOT, two).compare(
            &ours,
            &theirs,
            Target::AtLeast(1.3),
        )?,
        Pace::of("memory: `charge_one`, 64 hot keys", HOT, one).compare(
            &told,
            &theirs,
            Target::Told,
        )?,
        Pace::of(
            "memory: 2²⁰ keys uniform, governor with `[u8; 21]` keys",
            KEYS,
            one,
        )
        .compare(&ours, &inline, Target::Told)?,
        three_row()?,
    ])
}

/// The row of a request's three policies.
fn three_row() -> Result<Row, Failure> {
    let (ours, theirs) = (Batched::new()?, ThreeGoverned::new()?);
    // The first charge of each makes its entry.
    for place in 0..u32::try_from(HOT)? {
        ours.charge(place);
        theirs.charge(place);
    }
    let what = "memory: a batch of three with outcomes and receipt, 64 hot consumers, \
                over three checks";
    Pace::of(what, HOT, Threads::One).compare(&ours, &theirs, Target::Told)
}
