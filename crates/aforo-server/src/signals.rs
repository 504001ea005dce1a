//! Signs that somebody tries to get round limits, in the log.

use aforo::{Observer, Signal};
use tracing::warn;

/// Writes each sign into the log: once for each subject in 15 minutes, and never a key.
pub(crate) struct SignalLog;

impl Observer for SignalLog {
    fn wants_signals(&self) -> bool {
        true
    }

    fn signal(&self, signal: &Signal<'_>) {
        match *signal {
            Signal::FailedCredentials { address, at_least } => warn!(
                %address,
                at_least,
                "an address sends many different credentials that nobody has"
            ),
            Signal::FailedAccounts {
                address,
                policy,
                at_least,
            } => warn!(
                %address,
                policy,
                at_least,
                "an address fails with many different accounts"
            ),
            Signal::ManyAddresses { consumer, at_least } => warn!(
                consumer,
                at_least, "the credential of one consumer comes from many addresses"
            ),
            Signal::DeniedAtAddress { address, at_least } => warn!(
                %address,
                at_least,
                "many consumers are denied at one address"
            ),
            Signal::DeniedOfOwner { owner, at_least } => warn!(
                owner,
                at_least, "many consumers of one organisation or team are denied"
            ),
            _ => {}
        }
    }
}
