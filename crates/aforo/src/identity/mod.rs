//! Who is calling: the client address and the consumer behind a credential.
//!
//! The way of a request: [`ClientAddress::of`] from the socket's peer and the headers, then
//! [`Identified::of`] from its credentials; keys that the file does not have are asked of a [`Lookup`]. A request that goes on to an upstream has its
//! forwarding headers rewritten by [`forwarding::Forwarding`].

pub mod address;
pub mod api_keys;
mod certificate;
pub mod credential;
#[cfg(feature = "lookup")]
mod fetch;
pub mod forwarding;
#[cfg(feature = "jwt")]
mod jwt;
#[cfg(not(feature = "jwt"))]
#[path = "without_jwt.rs"]
mod jwt;
pub mod lookup;
pub mod told;
pub mod untrusted_peers;

mod entry;
mod forwarded;
mod lines;
mod marks;
mod search;
mod sources;

pub use address::{ClientAddress, canonical, prefix};
pub use api_keys::ApiKeys;
pub use certificate::ClientCertificate;
pub use credential::{Identified, challenge};
pub use lookup::{Found, FoundOverride, Lookup, LookupAnswer, LookupError, PresentedKey};
pub use untrusted_peers::UntrustedPeers;

pub(crate) use jwt::Tokens;
pub(crate) use lookup::{Directory, Subject, View};
pub(crate) use search::{KeyOwner, Question, Search, Step, Told, Who};
pub(crate) use sources::Sources;
