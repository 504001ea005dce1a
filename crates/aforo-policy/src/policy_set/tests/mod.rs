//! From a request to its charges.

mod scene;

mod applies;
mod bodies;
mod devices;
mod partitions;
mod parts;
mod prices;
mod refusals;
mod terms;
