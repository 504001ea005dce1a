//! Plans, teams and consumers.

use std::sync::Arc;

use aforo_core::Timestamp;

use super::{Allowance, Policy};

/// The policies that a class of consumers has.
#[derive(Debug)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Its policies.
    pub policies: Vec<Arc<Policy>>,
    /// For people.
    pub title: Option<String>,
    /// For people.
    pub price: Option<String>,
    /// Where to get more.
    pub upgrade_url: Option<String>,
}

/// A team with a shared pool.
#[derive(Debug)]
pub struct Team {
    /// Its name.
    pub name: String,
    /// The policies its members share. A pool that something is guaranteed of is followed by its
    /// parts.
    pub policies: Vec<Arc<Policy>>,
}

/// A consumer of the file.
#[derive(Debug)]
pub struct Consumer {
    /// Its id.
    pub id: String,
    /// Its plan.
    pub plan: Option<Arc<Plan>>,
    /// Its team.
    pub team: Option<Arc<Team>>,
    /// Its organisation.
    pub org: Option<String>,
    /// For people.
    pub contact: Option<String>,
    /// SHA-256 of its API keys.
    pub api_key_sha256: Vec<[u8; 32]>,
    /// Negotiated quotas.
    pub overrides: Vec<Override>,
}

/// A negotiated quota with an end.
#[derive(Clone, Debug)]
pub struct Override {
    /// The policy's name.
    pub policy: String,
    /// What it allows instead.
    pub allowance: Allowance,
    /// The first instant at which it holds; `None`: since ever.
    pub from: Option<Timestamp>,
    /// The first instant at which it no longer holds; a date means the start of the day after
    /// it in UTC.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: Option<String>,
}
