//! The Redis protocol (RESP) as a server reads it: commands in, without allocation.
//!
//! It uses nothing of the crate around it, so that the fuzz target includes it as it is: the
//! program is not a library.

mod command;
mod inline;
mod integer;

pub(crate) use command::{Broken, Command, Parsed, parse};
pub(crate) use integer::integer;

#[cfg(test)]
mod tests;
