//! The golden vectors and their reader, so that every store is held to the same answers.
//!
//! The format is described in `tests/vectors/README.md`. A store's suite goes through
//! [`all`], carries out the [`Step`]s, and asks [`Expected::check`] of each outcome.

mod counter;
mod parse;

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Edges, Outcome, Quota, Span, Timestamp, Verdict};

pub use counter::Counter;
pub use parse::parse;

macro_rules! file {
    ($name:literal) => {
        (
            concat!($name, ".txt"),
            include_str!(concat!("../../tests/vectors/", $name, ".txt")),
        )
    };
}

/// The vector files: name and text.
pub const FILES: &[(&str, &str)] = &[
    file!("token_bucket"),
    file!("leaky_bucket"),
    file!("fixed_window"),
    file!("sliding_window"),
    file!("sliding_log"),
];

/// One sequence on one policy and partition key, which starts without a state.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The file it stands in.
    pub file: String,
    /// Its name.
    pub name: String,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// One step and the line it stands on.
#[derive(Clone, Debug)]
pub struct Step {
    /// The line, from 1.
    pub line: usize,
    /// What happens.
    pub event: Event,
}

/// What happens in a step.
#[derive(Clone, Debug)]
pub enum Event {
    /// From here on the policy has this quota; a state is kept.
    Quota(Quota),
    /// From here on charges carry these calendar edges.
    Edges(Option<Edges>),
    /// A batch of one enforced charge; what fits is taken.
    Charge {
        /// The store's time.
        now: Timestamp,
        /// Units to take.
        cost: u64,
        /// The name of its receipt.
        receipt: Option<String>,
        /// What must come out.
        expected: Expected,
    },
    /// Some units of an earlier charge are given back; nothing comes out.
    GiveBack {
        /// The store's time.
        now: Timestamp,
        /// The name of the receipt.
        receipt: String,
        /// Units to give back.
        units: u64,
    },
}

/// What a vector says of an outcome; what it does not say is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Whether the charge fits.
    pub verdict: Verdict,
    /// [`Outcome::remaining`].
    pub remaining: Option<u64>,
    /// [`Outcome::wait`].
    pub wait: Option<Span>,
    /// [`Outcome::next_unit`].
    pub next: Option<Span>,
    /// [`Outcome::whole_again`].
    pub whole: Option<Span>,
    /// [`Outcome::delay`].
    pub delay: Option<Span>,
    /// [`Outcome::edge`].
    pub edge: Option<Timestamp>,
}

impl Expected {
    /// Compares what is said.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn check(&self, outcome: &Outcome) -> Result<(), String> {
        let same = |name: &str, said: Option<u64>, found: Option<u64>| match said {
            Some(_) if said != found => {
                Err(alloc::format!("{name}: {said:?} said, {found:?} found"))
            }
            _ => Ok(()),
        };
        if self.verdict != outcome.verdict {
            let (said, found) = (self.verdict, outcome.verdict);
            return Err(alloc::format!("{said:?} said, {found:?} found"));
        }
        let micros = |span: Option<Span>| span.map(Span::as_micros);
        let edge = |edge: Option<Timestamp>| edge.map(Timestamp::as_micros);
        same("remaining", self.remaining, Some(outcome.remaining))?;
        same("wait", micros(self.wait), micros(Some(outcome.wait)))?;
        same("next", micros(self.next), micros(Some(outcome.next_unit)))?;
        same(
            "whole",
            micros(self.whole),
            micros(Some(outcome.whole_again)),
        )?;
        same("delay", micros(self.delay), micros(Some(outcome.delay)))?;
        same("edge", edge(self.edge), edge(outcome.edge))
    }
}

/// All vectors.
///
/// # Errors
/// The file, line and reason when one cannot be read.
pub fn all() -> Result<Vec<Vector>, String> {
    let files = FILES.iter().map(|(name, text)| parse(name, text));
    Ok(files.collect::<Result<Vec<_>, _>>()?.concat())
}
