//! What a request adds to the signs that somebody tries to get round limits.

use std::net::IpAddr;

use ::http::StatusCode;
use ::http::request::Parts;
use aforo_policy::{Caller, Counted};

use super::Entry;
use super::door::Door;
use crate::identity::{Identified, prefix};
use crate::signals::Telling;

impl Door {
    /// What became of a request's credentials.
    #[inline]
    pub(super) fn watch(&self, parts: &Parts, identified: &Identified) {
        if self.fixed().signals.is_some() {
            self.watch_credentials(parts, identified);
        }
    }

    fn watch_credentials(&self, parts: &Parts, identified: &Identified) {
        let (Some(signals), Some(client)) = (&self.fixed().signals, self.client) else {
            return;
        };
        let settings = self.setup.settings();
        match identified {
            Identified::Verified(consumer) => {
                let address = || self.counted(client.address);
                signals.verified(consumer, client.address, address, self.telling());
            }
            Identified::Unrecognised if self.setup.sources.know_anybody(settings) => {
                let (address, identity) = (self.counted(client.address), &settings.identity);
                signals.failed_credential(address, &parts.headers, identity, self.telling());
            }
            Identified::Absent | Identified::Unrecognised | Identified::Unverified => {}
        }
    }

    /// An address as it is counted.
    fn counted(&self, address: IpAddr) -> IpAddr {
        prefix(address, self.setup.settings().identity.ipv6_prefix)
    }

    fn telling(&self) -> Telling<'_> {
        Telling {
            observer: &*self.fixed().observer,
            now: self.now,
        }
    }

    /// A caller was denied.
    pub(super) fn watch_denial(&self, caller: &Caller) {
        let (Some(signals), Some(consumer)) = (&self.fixed().signals, &caller.consumer) else {
            return;
        };
        if let Some(client) = self.client {
            signals.denied(consumer, self.counted(client.address), self.telling());
        }
    }
}

impl Entry {
    /// A response came: with which accounts its address failed.
    #[inline]
    pub(crate) fn watch_result(&self, status: StatusCode) {
        let watches = self.door.fixed().signals.is_some();
        if watches && self.lines.iter().any(|line| line.counted != Counted::All) {
            self.watch_failures(status);
        }
    }

    fn watch_failures(&self, status: StatusCode) {
        let (Some(signals), Some(client)) = (&self.door.fixed().signals, self.door.client) else {
            return;
        };
        let failed = |counted: &Counted| {
            *counted != Counted::All && *counted != Counted::Successes && counted.holds(status)
        };
        for line in self.lines.iter().filter(|line| failed(&line.counted)) {
            let partition = line.seat.and_then(|seat| self.receipts.partition_at(seat));
            if let Some(partition) = partition {
                let address = self.door.counted(client.address);
                let (policy, telling) = (line.name().as_str(), self.door.telling());
                signals.failed_account(address, policy, partition, telling);
            }
        }
    }
}
