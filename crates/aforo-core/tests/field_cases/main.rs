//! Faults that others reported from the field, each ruled out with its kind. A test's name starts
//! with the case's id; times are milliseconds from the case's start.
#![allow(
    clippy::arithmetic_side_effects,
    reason = "a test that leaves the range shall panic"
)]

#[cfg(test)]
mod caller;
#[cfg(test)]
mod clocks;
#[cfg(test)]
mod levels;
#[cfg(test)]
mod reloads;
#[cfg(test)]
mod waits;
#[cfg(test)]
mod windows;
