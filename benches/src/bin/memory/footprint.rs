//! What a live entry weighs: resident memory before and after 2²⁰ charges, in a fresh process.

use std::hint::black_box;
use std::process::Command;

use aforo_benches::governed::Governed;
use aforo_benches::keys::{self, KEYS};
use aforo_benches::row::{Row, Target};
use aforo_benches::stored::Stored;
use aforo_benches::{Failure, resident};

use crate::charger::{fill, strings};

/// What a live entry may weigh, in bytes.
const TARGET: f64 = 64.0;

/// The row of both footprints.
pub(crate) fn rows() -> Result<Vec<Row>, Failure> {
    let (ours, theirs) = (of_fresh_process("aforo")?, of_fresh_process("governor")?);
    Ok(vec![Row {
        what: "memory: resident bytes for a live entry, 2²⁰ of them".to_owned(),
        ours: format!("{ours:.1} B"),
        theirs: format!("{theirs:.1} B"),
        figure: format!("{ours:.1} B"),
        value: ours,
        target: Target::AtMost(TARGET),
    }])
}

fn of_fresh_process(who: &str) -> Result<f64, Failure> {
    let program = std::env::current_exe()?;
    let output = Command::new(program).args(["--resident", who]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let bytes: u64 = text
        .trim()
        .parse()
        .map_err(|_| format!("{who} failed: {output:?}", output = output.status))?;
    Ok(bytes as f64 / KEYS as f64)
}

/// Resident bytes that `who` adds to its keys. The keys are there before; what it keeps of them
/// counts.
pub(crate) fn resident(who: &str) -> Result<u64, Failure> {
    match who {
        "aforo" => {
            let buffer = keys::contiguous();
            added(|| {
                let ours = Stored::new(buffer)?;
                fill(&ours)?;
                Ok(ours)
            })
        }
        "governor" => {
            let keys = strings();
            added(|| {
                let theirs = Governed::new(keys)?;
                fill(&theirs)?;
                Ok(theirs)
            })
        }
        _ => Err("nobody of this name".into()),
    }
}

/// Resident bytes that what `make` makes adds.
fn added<T>(make: impl FnOnce() -> Result<T, Failure>) -> Result<u64, Failure> {
    let before = resident::now()?;
    let made = make()?;
    let after = resident::now()?;
    black_box(&made);
    Ok(after.saturating_sub(before))
}
