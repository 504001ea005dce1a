//! What callers see: fields on every response, the answer to a denial.
//!
//! A request that passes gets its fields from [`fields::write`]; one that does not is answered by
//! [`denial::answer`]. Both speak only of what [`Shown`] holds.

pub mod cors;
pub mod denial;
pub mod fields;

mod kept;
mod lasting;
mod own_use;
mod ratelimit_fields;
mod shown;
mod standing;
mod structured;
mod upstream_fields;
mod written;
mod x_ratelimit;

#[cfg(test)]
mod test_outcomes;

pub(crate) use own_use::OwnUse;
pub use shown::{Shown, ShownPolicy};
pub(crate) use standing::Standing;
