//! The aforo file: what it says, and what it makes of a request.
//!
//! [`mod@file`] turns a text into [`Settings`], or into every error at once, each with its place.
//! A [`PolicySet`] made of them matches a request's [`Facts`] and its [`Caller`] and answers with
//! the [`Charges`] to ask a store for.

pub mod file;
#[cfg(feature = "graphql")]
pub mod graphql;
pub mod matching;
pub mod path;
pub mod settings;
pub mod template;
pub mod words;

mod caller;
mod charges;
mod descriptors;
mod device;
mod facts;
mod partition;
mod policy_set;

pub use caller::{Caller, Credential};
pub use charges::{Charges, Planned, PlannedCharge, Refusal, Scope};
pub use descriptors::{Described, OfDescriptors};
pub use device::{DeviceKey, DeviceKeyError};
pub use facts::{BodyFacts, DescriptorEntry, Facts};
pub use matching::{MatchPlace, Matched, RouteConflict, route_conflicts};
pub use path::{CanonicalPath, PathError};
pub use policy_set::{Aftermath, OwnCharges, PolicySet, Reckoning};
pub use settings::*;
pub use template::{Template, TemplateError};
