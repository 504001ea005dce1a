//! What a store needs to know of a policy.

use alloc::sync::Arc;
use core::fmt;

use crate::Quota;

/// A policy's name: `[a-z0-9._-]{1,64}`. Headers, metrics and error bodies show it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyName(Arc<str>);

/// A text that is not a policy's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyNameError;

impl PolicyName {
    /// A name from text.
    ///
    /// # Errors
    /// When the text is empty, longer than 64 bytes, or holds anything but `a-z 0-9 . _ -`.
    pub fn new(text: &str) -> Result<Self, PolicyNameError> {
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        if matches!(text.len(), 1..=64) && text.bytes().all(allowed) {
            Ok(Self(Arc::from(text)))
        } else {
            Err(PolicyNameError)
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PolicyNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy's name is 1 to 64 of a-z, 0-9, '.', '_' and '-'")
    }
}

impl core::error::Error for PolicyNameError {}

/// The terms of a policy: its name and its quota.
///
/// State is kept by name and partition key, never by the quota's numbers: two policies with
/// equal numbers count apart, one policy used twice counts once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    name: PolicyName,
    tag: u64,
    quota: Quota,
}

impl Terms {
    /// The terms of the policy `name`.
    pub fn new(name: PolicyName, quota: Quota) -> Self {
        let tag = fnv1a(name.as_str().as_bytes());
        Self { name, tag, quota }
    }

    /// The policy's name.
    pub fn name(&self) -> &PolicyName {
        &self.name
    }

    /// A 64-bit tag of the name, the same in every process: FNV-1a.
    pub const fn tag(&self) -> u64 {
        self.tag
    }

    /// The policy's quota.
    pub const fn quota(&self) -> &Quota {
        &self.quota
    }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo). Names come from the operator's file, so it needs no key.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
