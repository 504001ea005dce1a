//! The integer code against a model in exact rationals, and each algorithm's promises.
#![allow(
    clippy::arithmetic_side_effects,
    reason = "a test that leaves the range shall panic"
)]

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod calendar;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod equality;
#[cfg(test)]
mod garbage;
#[cfg(test)]
mod gcra;
#[cfg(test)]
mod model;
#[cfg(test)]
mod refunds;
#[cfg(test)]
mod sequences;
#[cfg(test)]
mod spec;
#[cfg(test)]
mod waits;
