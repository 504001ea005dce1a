//! The aforo file: what it says, and what it makes of a request.
//!
//! [`file`] turns a text into [`Settings`], or into every error at once, each with its place.
//! A [`PolicySet`] made of them matches a request's [`Facts`] and its [`Caller`] and answers with
//! the [`Charges`] to ask a store for.

pub mod file;
pub mod path;
pub mod settings;

mod caller;
mod charges;
mod facts;
mod policy_set;

pub use caller::{Caller, Credential};
pub use charges::{Charges, Planned, PlannedCharge, Refusal};
pub use facts::{BodyFacts, Facts};
pub use path::{CanonicalPath, PathError};
pub use policy_set::{Matched, PolicySet};
pub use settings::*;
