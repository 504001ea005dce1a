//! Rate limiting for APIs, to embed in an application.

pub mod http;
pub mod identity;

mod admission;
mod build_error;
mod builder;
mod limiter;
mod passage;
mod replayed;

pub use admission::{Admission, AnswerBody};
pub use build_error::BuildError;
pub use builder::LimiterBuilder;
pub use limiter::{Check, CheckError, Limiter};
pub use passage::Passage;
pub use replayed::Replayed;

pub use aforo_core as core;
pub use aforo_policy as policy;
pub use aforo_store as store;
