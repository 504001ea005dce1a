//! What clients send: read strictly, and nothing around it is used, so that the fuzz target includes
//! it by its path.

mod batch;
mod facts;
mod fields;
mod question;

pub(super) use batch::{Asked, MOST_QUESTIONS, read};
pub(super) use facts::Facts;
pub(super) use question::{Charge, Kind, Partition, Question, Refund};

#[cfg(test)]
mod tests;
