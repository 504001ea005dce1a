//! The integer code against a model in exact rationals, and each algorithm's promises.

mod bounds;
mod calendar;
mod clock;
mod equality;
mod gcra;
mod model;
mod refunds;
mod sequences;
mod spec;
mod waits;
