//! From a request to its charges.

mod scene;

mod applies;
mod bodies;
mod partitions;
mod refusals;
mod terms;
