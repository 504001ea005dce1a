//! Asking the limiter.

use std::net::SocketAddr;

use ::http::Request;
use aforo_policy::Charges;

use super::Ruling;
use crate::at_once::at_once;
use crate::limiter::checked;
use crate::taking::{How, Line, Lines, Receipts, Taking};
use crate::way::{self, Ruled};
use crate::{Check, CheckError, Limiter};

/// One policy that is asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked<'a> {
    /// A policy of `[policies]`.
    pub policy: &'a str,
    /// What is counted apart: the parts of a partition key, none for one bucket for all.
    pub partition: &'a [&'a [u8]],
    /// Units to take, unless the policy sets its own cost.
    pub cost: u64,
}

impl Limiter {
    /// Takes what is asked for, all or nothing. A policy and partition that are named twice count
    /// once, at the larger cost.
    ///
    /// # Errors
    /// When there is no such policy. A store that failed is a [`Ruling`], as the policy says.
    pub async fn decide(&self, asked: &[Asked<'_>]) -> Result<Ruling, CheckError> {
        self.rule(asked, How::Take).await
    }

    /// The same where all stores answer at once (memory); `None` when one has to be waited for, and
    /// nothing was taken.
    ///
    /// # Errors
    /// As [`Limiter::decide`].
    pub fn decide_now(&self, asked: &[Asked<'_>]) -> Option<Result<Ruling, CheckError>> {
        let immediate = self.setup.load().immediate;
        let ruling = immediate.then(|| self.decide(asked))?;
        at_once(ruling)
    }

    /// Whether `[policies]` has a policy of this name.
    pub fn has_policy(&self, name: &str) -> bool {
        let setup = self.setup.load();
        setup.settings().policies.contains_key(name)
    }

    /// One policy, taken from a store that answers at once (memory); `None` when it has to be waited
    /// for, and nothing was taken.
    pub fn check_at_once(&self, asked: Asked<'_>) -> Option<Result<Check, CheckError>> {
        let setup = self.setup.load();
        if !setup.immediate {
            return None;
        }
        let (now, key) = (self.fixed.clock.now(), &self.fixed.key);
        let policies = &setup.policies;
        let mut charges = Charges::default();
        let named = (asked.policy, asked.partition);
        let added = policies.add_charge_by_name(&mut charges, named, asked.cost, now, key);
        if added.is_none() {
            return Some(Err(CheckError::UnknownPolicy(asked.policy.to_owned())));
        }
        let mut lines: Lines = charges.planned.iter().map(Line::of).collect();
        let mut receipts = Receipts::default();
        let mut taking = Taking::new(&mut lines, &mut receipts);
        taking.put_now(self.put_of(&setup, &charges, How::Take));
        Some(checked(taking))
    }

    /// What [`Limiter::decide`] would answer; takes nothing.
    ///
    /// # Errors
    /// As [`Limiter::decide`].
    pub async fn peek_all(&self, asked: &[Asked<'_>]) -> Result<Ruling, CheckError> {
        self.rule(asked, How::Look).await
    }

    /// Decides over a request by its facts: it is charged as if it had come here from `peer`.
    /// `body` is what of it is known; a policy that counts by an absent body does what its
    /// `when_missing` says.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let limiter = aforo::Limiter::builder().plan("anonymous", ["1/minute"]).build()?;
    /// let ask = || http::Request::get("/orders").body(None);
    /// let peer = Some("192.0.2.7:0".parse()?);
    /// assert!(limiter.decide_request(ask()?, peer).await.is_allowed());
    /// let denied = limiter.decide_request(ask()?, peer).await;
    /// assert_eq!(denied.denial().map(|answer| answer.status().as_u16()), Some(429));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn decide_request(
        &self,
        request: Request<Option<&[u8]>>,
        peer: Option<SocketAddr>,
    ) -> Ruling {
        self.decide_requests(request, 1, peer).await
    }

    /// The same for `times` requests alike, all or none: each policy that sets no cost of its own
    /// takes as much more.
    pub async fn decide_requests(
        &self,
        request: Request<Option<&[u8]>>,
        times: u64,
        peer: Option<SocketAddr>,
    ) -> Ruling {
        let (parts, body) = request.into_parts();
        Ruling::new(way::rule(self, times, parts, body, peer, How::Take).await)
    }

    /// What [`Limiter::decide_request`] would answer; takes nothing. The edge is passed by. A
    /// credential that verifies nobody counts as one, so that peeking is no way to guess keys.
    pub async fn peek_request(
        &self,
        request: Request<Option<&[u8]>>,
        peer: Option<SocketAddr>,
    ) -> Ruling {
        let (parts, body) = request.into_parts();
        Ruling::new(way::rule(self, 1, parts, body, peer, How::Look).await)
    }

    async fn rule(&self, asked: &[Asked<'_>], how: How) -> Result<Ruling, CheckError> {
        let ruled = way::rule_named(self, asked, how);
        ruled.await.map(|ruled: Ruled| Ruling::new(ruled))
    }
}
