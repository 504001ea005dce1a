//! What is noticed of whoever tries to get round limits.

use std::net::IpAddr;

/// Somebody may be trying to get round limits: told once for each subject in a window of 15 minutes.
/// An address is a prefix where it is IPv6 (`identity.ipv6_prefix`). The numbers are what was seen
/// at least. What is meant by each, and what innocent causes it has, is in `docs/signals.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal<'a> {
    /// An address sent so many different credentials that verify nobody: it guesses keys.
    FailedCredentials {
        /// The address.
        address: IpAddr,
        /// Different credentials.
        at_least: u32,
    },
    /// An address failed with so many different partitions of a policy that counts failures:
    /// it tries passwords of many accounts.
    FailedAccounts {
        /// The address.
        address: IpAddr,
        /// The policy's name.
        policy: &'a str,
        /// Different partitions.
        at_least: u32,
    },
    /// A consumer's credential came from so many different addresses: it is passed around.
    ManyAddresses {
        /// The consumer's id.
        consumer: &'a str,
        /// Different addresses.
        at_least: u32,
    },
    /// So many different consumers were denied at one address: whoever it is takes the next key
    /// when one is used up.
    DeniedAtAddress {
        /// The address.
        address: IpAddr,
        /// Different consumers.
        at_least: u32,
    },
    /// So many different consumers of one organisation, or of one team where there is none, were
    /// denied: it spreads its load over many keys.
    DeniedOfOwner {
        /// The organisation or team.
        owner: &'a str,
        /// Different consumers.
        at_least: u32,
    },
}
