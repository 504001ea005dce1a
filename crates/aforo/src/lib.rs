//! Rate limiting for APIs, to embed in an application.

pub mod http;
pub mod identity;

mod admission;
mod at_once;
mod build_error;
mod builder;
mod check;
mod denied;
mod known_consumer;
mod limiter;
mod observer;
mod passage;
mod process_environment;
mod replayed;
mod settled_cost;
mod setup;
mod standing;
mod stores;
mod taking;
mod way;

#[cfg(feature = "tower")]
pub mod layer;

pub use admission::{Admission, AnswerBody};
pub use build_error::BuildError;
pub use builder::LimiterBuilder;
pub use check::{Check, CheckError};
pub use denied::Denied;
pub use known_consumer::KnownConsumer;
#[cfg(feature = "tower")]
pub use layer::{LimiterLayer, PeerAddress};
pub use limiter::Limiter;
pub use observer::{Decided, Judged, Observer};
pub use passage::Passage;
pub use process_environment::ProcessEnvironment;
pub use replayed::Replayed;
pub use settled_cost::SettledCost;
pub use standing::Standing;

pub use aforo_core as core;
pub use aforo_policy as policy;
pub use aforo_store as store;
pub use aforo_store::ManualClock;
