//! All policies of a file, ready to match requests.

use std::net::IpAddr;
use std::sync::Arc;

use aforo_core::{HashKey, Timestamp};

use crate::{Caller, Charges, Facts, Matched, Place, Refusal, Settings};

/// All policies of a file, ready to match requests.
#[derive(Debug)]
pub struct PolicySet {
    settings: Arc<Settings>,
}

impl PolicySet {
    /// Makes the matchers.
    pub fn new(settings: Arc<Settings>) -> Self {
        Self { settings }
    }

    /// The file.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The edge's charges for an address: each by itself, before identity.
    pub fn edge_charges<'a>(
        &'a self,
        address: IpAddr,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Charges<'a> {
        let _ = (address, place, now, key);
        todo!()
    }

    /// The route and groups of a request, by method and canonical path.
    pub fn matched<'a>(&'a self, facts: &Facts<'_>) -> Matched<'a> {
        let _ = facts;
        todo!()
    }

    /// The same when the application's router knows the template already (axum's `MatchedPath`).
    pub fn matched_template<'a>(&'a self, facts: &Facts<'_>, template: &str) -> Matched<'a> {
        let _ = (facts, template);
        todo!()
    }

    /// Whether a policy that applies counts by the body.
    pub fn needs_body(&self, matched: &Matched<'_>, caller: &Caller, place: Place) -> bool {
        let _ = (matched, caller, place);
        todo!()
    }

    /// What a request is to be charged.
    ///
    /// # Errors
    /// A [`Refusal`] is answered at once and charges nothing.
    pub fn charges<'a>(
        &'a self,
        facts: &Facts<'_>,
        caller: &'a Caller,
        matched: &Matched<'a>,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Result<Charges<'a>, Refusal> {
        let _ = (facts, caller, matched, place, now, key);
        todo!()
    }

    /// The same without the policies that count by the body: what can be looked at before the
    /// body is sent (`Expect: 100-continue`).
    ///
    /// # Errors
    /// A [`Refusal`] is answered at once and charges nothing.
    pub fn bodiless_charges<'a>(
        &'a self,
        facts: &Facts<'_>,
        caller: &'a Caller,
        matched: &Matched<'a>,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Result<Charges<'a>, Refusal> {
        let _ = (facts, caller, matched, place, now, key);
        todo!()
    }

    /// The charge of one policy of `[policies]` by name, for calls without a request.
    pub fn charge_by_name<'a>(
        &'a self,
        name: &str,
        partition: &[&[u8]],
        cost: u64,
        now: Timestamp,
        key: &HashKey,
    ) -> Option<Charges<'a>> {
        let _ = (name, partition, cost, now, key);
        todo!()
    }
}
