//! `guaranteed` of a team: what of a pool each member has for itself.

use std::sync::Arc;

use aforo_core::{Mode, PolicyName, Quota, RemainderError, Terms};

use super::Checker;
use super::policy::alone;
use crate::file::quota::QuotaFields;
use crate::file::raw::RawTeam;
use crate::file::read::{List, Located, Text};
use crate::{Allowance, Identity, Metered, Part, Policy, Precision, Share};

/// A pool that parts can be set aside of.
struct Pool<'p> {
    policy: &'p Arc<Policy>,
    metered: &'p Metered,
}

impl Checker<'_> {
    /// The team's policies, each pool that something is guaranteed of followed by what each member
    /// has for itself and what is left for all.
    pub(super) fn guaranteed(
        &mut self,
        team: &Text,
        raw: &RawTeam,
        pools: Vec<Arc<Policy>>,
        identity: &Identity,
    ) -> Vec<Arc<Policy>> {
        let Some(guaranteed) = raw.guaranteed.get() else {
            if let Some(members) = raw.members.get() {
                self.findings
                    .add(members.at, "nothing is guaranteed to these members")
                    .help("name what each has for itself as guaranteed, or leave it out");
            }
            return pools;
        };
        let at = guaranteed.0.at;
        let Some(members) = self.members(team, raw, at, identity) else {
            return pools;
        };
        let mut shares: Vec<(PolicyName, Vec<Arc<Policy>>)> = Vec::new();
        for text in guaranteed.0.iter() {
            let taken: Vec<&PolicyName> = shares.iter().map(|(pool, _)| pool).collect();
            let free = pools.iter().filter(|pool| !taken.contains(&&pool.name));
            if let Some((pool, made)) = self.shares(text, free, members) {
                shares.push((pool, made));
            }
        }
        let mut policies = Vec::new();
        for pool in pools {
            let made = shares.iter_mut().find(|(name, _)| *name == pool.name);
            policies.push(pool);
            policies.extend(made.into_iter().flat_map(|(_, made)| std::mem::take(made)));
        }
        policies
    }

    /// How many members the pool holds a part for.
    fn members(
        &mut self,
        team: &Text,
        raw: &RawTeam,
        guaranteed: crate::file::source::Location,
        identity: &Identity,
    ) -> Option<u64> {
        let consumers = self.file.consumers.get().into_iter().flat_map(List::iter);
        let is_member = |one: &Text| one.value == team.value;
        let listed = consumers
            .filter(|consumer| consumer.team.get().is_some_and(is_member))
            .count() as u64;
        if raw.members.is_wrong() {
            return None;
        }
        if let Some(Located { value, at }) = raw.members.get() {
            if *value < listed.max(1) {
                self.findings
                    .add(
                        *at,
                        format!("`{value}` members, and {listed} are in this file"),
                    )
                    .expected("the most members that the team may have");
                return None;
            }
            return Some(*value);
        }
        let elsewhere = identity.registry.is_some()
            || identity.lookups.url.is_some()
            || identity.jwt.as_ref().is_some_and(|jwt| jwt.team.is_some());
        if elsewhere || listed == 0 {
            self.findings
                .add(guaranteed, "how many members there are is not known")
                .expected("members = N beside it, the most that the team may have")
                .help("the pool holds a part for each of them, so that it has to be known");
            return None;
        }
        Some(listed)
    }

    /// The pool that a guaranteed quota is a part of, and the policies that divide it.
    fn shares<'p>(
        &mut self,
        text: &Text,
        pools: impl Iterator<Item = &'p Arc<Policy>>,
        members: u64,
    ) -> Option<(PolicyName, Vec<Arc<Policy>>)> {
        let written = self.quota_text(text)?;
        let mut kinds = Vec::new();
        for policy in pools {
            let Some(Allowance::Metered(metered)) = &policy.allowance else {
                continue;
            };
            let fields = QuotaFields {
                burst: None,
                ..policy.fields.beside(&written)
            };
            let own = written.allowance(&policy.name, &fields);
            let Ok(Allowance::Metered(own)) = own else {
                continue;
            };
            let pool = Pool { policy, metered };
            match metered.terms.quota().without(own.terms.quota(), members) {
                Err(RemainderError::OtherKind) => kinds.push(policy.name.as_str()),
                Err(error) => {
                    self.indivisible(text, &pool, &error, members);
                    return None;
                }
                Ok(left) => {
                    let made = self.divide(text, &pool, &own, left)?;
                    return Some((policy.name.clone(), made));
                }
            }
        }
        self.findings
            .add(text.at, "no pool of this team can guarantee this")
            .expected(match kinds.as_slice() {
                [] => "a policy of the team with the same window and algorithm".to_owned(),
                kinds => format!("the window and algorithm of {}", kinds.join(" or ")),
            })
            .help("a part is written as its pool is: of \"600/minute burst 100\" it is \"60/minute burst 10\"");
        None
    }

    fn indivisible(&mut self, text: &Text, pool: &Pool<'_>, error: &RemainderError, members: u64) {
        let name = &pool.policy.name;
        let (message, help) = match error {
            RemainderError::TooMuch { parts, whole } => (
                format!("{members} members are guaranteed {parts} of the {whole} of `{name}`"),
                "guarantee less, or make the pool larger".to_owned(),
            ),
            RemainderError::NotDivisible => (
                format!("nothing can be guaranteed of `{name}`"),
                "parts of a leaky bucket or of a first-hit window do not add up to it".to_owned(),
            ),
            other => (
                format!("nothing can be guaranteed of `{name}`"),
                other.to_string(),
            ),
        };
        self.findings.add(text.at, message).help(help);
    }

    /// What each member has for itself, and what is left for all.
    fn divide(
        &mut self,
        text: &Text,
        pool: &Pool<'_>,
        own: &Metered,
        left: Option<Quota>,
    ) -> Option<Vec<Arc<Policy>>> {
        if let Some(obstacle) = obstacle(pool.policy) {
            self.findings
                .add(
                    text.at,
                    format!("nothing can be guaranteed of `{}`", pool.policy.name),
                )
                .help(obstacle);
            return None;
        }
        let mut made = Vec::new();
        let own_part = (Share::Guaranteed, Some(*own.terms.quota()));
        for (share, quota) in [own_part, (Share::Rest, left)] {
            let Some(quota) = quota else {
                continue;
            };
            let name = self.share_name(text, pool.policy, share)?;
            let metered = Metered {
                terms: Arc::new(Terms::new(name.clone(), quota)),
                ..pool.metered.clone()
            };
            let partition_by = match share {
                Share::Guaranteed => alone(vec![Part::Team, Part::Consumer]),
                Share::Rest => pool.policy.partition_by.clone(),
            };
            made.push(Arc::new(Policy {
                name,
                allowance: Some(Allowance::Metered(metered)),
                partition_by,
                share: Some(share),
                ..Policy::clone(pool.policy)
            }));
        }
        Some(made)
    }

    fn share_name(&mut self, text: &Text, pool: &Policy, share: Share) -> Option<PolicyName> {
        let name = match share {
            Share::Guaranteed => format!("{}-guaranteed", pool.name),
            Share::Rest => format!("{}-shared", pool.name),
        };
        if let Some(written) = self.written_name(&name) {
            self.findings
                .add(
                    text.at,
                    format!("this part would be named `{name}`, as another policy is"),
                )
                .also(written, "the other one is here")
                .help("give one of them another name");
            return None;
        }
        let made = PolicyName::new(&name).ok();
        if made.is_none() {
            self.findings
                .add(
                    text.at,
                    format!("this part would be named `{name}`, which is not a name"),
                )
                .expected("1 to 64 of a-z, 0-9, '.', '_' and '-'")
                .help("give the pool a shorter name: { name = \"...\", quota = \"...\" }");
        }
        made
    }
}

/// What keeps parts of a pool from being held.
fn obstacle(pool: &Policy) -> Option<&'static str> {
    let by_team = alone(vec![Part::Team]);
    if pool.partition_by != by_team {
        return Some("the pool is one for the team: leave its partition_by out");
    }
    if !pool.by_plan.is_empty() {
        return Some("the pool has one quota, not one per plan");
    }
    if pool.mode == Mode::Shadow {
        return Some("a shadow policy denies nobody");
    }
    if pool.precision == Precision::Leased {
        return Some("instances hold units of a leased policy in advance, so that none is sure");
    }
    if pool.count_denials || pool.penalty.is_some() {
        return Some("one member's denials would take from the others: no denials, no penalty");
    }
    if pool.exempt_cookie.is_some() {
        return Some("a pool has no exempt_cookie");
    }
    None
}
