//! What callers see: fields on every response, the answer to a denial.

mod shown;

pub use shown::{Shown, ShownPolicy};
