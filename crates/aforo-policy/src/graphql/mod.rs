//! What GraphQL requests cost, before they are executed.
//!
//! A [`Gauge`] tells the cost of [`Operation`]s from their text, their variables and, where there
//! is one, the server's schema with the directives `@cost` and `@listSize` of IBM's GraphQL cost
//! specification (draft of 2021). Time and memory are bounded by the text's length whatever it
//! says: tokens, levels and selections are counted, and a fragment is looked at once for each way
//! in which it is used.

mod cost;
mod fault;
mod gauge;
mod json;
mod operation;
mod persisted;
mod request;
mod schema;
mod values;
mod walk;
mod weight;

pub use cost::{Cost, Measure};
pub use fault::Fault;
pub use gauge::{Gauge, Introspection};
pub use operation::Operation;
pub use persisted::{NotAList, Registered};
pub use schema::{SdlError, Weights, WeightsError};
