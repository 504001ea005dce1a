//! `[edge]`.

use std::sync::Arc;

use super::Checker;
use super::names::Use;
use crate::file::source::Location;
use crate::{Counted, Part, Policy};

impl Checker<'_> {
    /// The policies per address.
    pub(super) fn edge(&mut self) -> Vec<Arc<Policy>> {
        match self.file.edge.get() {
            Some(edge) => self.policies(&edge.policies, &Use::Edge),
            None => Vec::new(),
        }
    }

    /// The edge knows nothing but the address, answers from local memory, and sees no response.
    pub(super) fn check_edge(&mut self, policy: &Policy, at: Location) {
        let parts = policy.partition_by.iter().flat_map(|part| &part.0);
        let beyond = parts
            .into_iter()
            .any(|part| !matches!(part, Part::ClientIp(_) | Part::Everyone));
        if beyond {
            self.findings
                .add(at, "the edge counts before it knows more than the address")
                .expected("partition_by with client_ip or everyone")
                .help("put the policy into a plan, a group or a route");
        }
        if policy.store != "default" || policy.on_store_failure.is_some() {
            self.findings
                .add(at, "the edge counts in local memory, without a store")
                .help("leave out `store` and `on_store_failure`");
        }
        if policy.counted != Counted::All {
            self.findings
                .add(at, "the edge counts every request, whatever becomes of it")
                .help("leave out `count`, or put the policy into a plan, a group or a route");
        }
        if policy.penalty.is_some() {
            self.findings.later(at, "penalty in [edge]");
        }
        if !policy.by_plan.is_empty() {
            self.findings
                .add(at, "the edge counts before it knows a plan")
                .help("one quota for all");
        }
    }
}
