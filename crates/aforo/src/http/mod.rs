//! What callers see: fields on every response, the answer to a denial.

pub mod denial;
pub mod fields;

mod shown;

pub use shown::{Shown, ShownPolicy};
