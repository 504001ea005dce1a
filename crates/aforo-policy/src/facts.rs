//! What a request says.

use std::net::IpAddr;

use http::{HeaderMap, Method};

use crate::CanonicalPath;

/// What a request says, without its caller.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The method as sent; override headers mean nothing.
    pub method: &'a Method,
    /// The canonical path.
    pub path: &'a CanonicalPath<'a>,
    /// The raw query, without `?`.
    pub query: Option<&'a str>,
    /// The host, from the target or the Host header.
    pub host: Option<&'a str>,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body, when a policy needs it and it was read; a part of a body that was not read is
    /// absent.
    pub body: Option<BodyFacts<'a>>,
}

/// One entry of a descriptor of Envoy's rate limit service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorEntry<'a> {
    /// Its key.
    pub key: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// The key of the entry with the client's address, as Envoy writes it.
pub(crate) const REMOTE_ADDRESS: &str = "remote_address";

impl DescriptorEntry<'_> {
    /// The client's address, where it is the entry with it.
    pub fn address(&self) -> Option<IpAddr> {
        let value = (self.key == REMOTE_ADDRESS).then_some(self.value)?;
        value.parse().ok()
    }
}

/// A body that was read for a partition key.
#[derive(Clone, Copy, Debug)]
pub struct BodyFacts<'a> {
    /// All its bytes.
    pub bytes: &'a [u8],
}
