//! Putting a limiter together.

use crate::{BuildError, Limiter};

/// Puts a limiter together: policies in code instead of a file, a clock, an own identification.
#[derive(Default)]
pub struct LimiterBuilder {}

impl LimiterBuilder {
    /// A policy by name and quota string.
    #[must_use]
    pub fn policy(self, name: &str, quota: &str) -> Self {
        let _ = (name, quota);
        todo!()
    }

    /// Builds it.
    ///
    /// # Errors
    /// When a name or a quota is wrong.
    pub fn build(self) -> Result<Limiter, BuildError> {
        todo!()
    }
}
