//! Policies: of `[policies]`, inline, and as plain quotas.

use std::collections::BTreeMap;
use std::sync::Arc;

use aforo_core::PolicyName;

use super::Checker;
use super::names::Use;
use crate::charges::counts_consumers_apart;
use crate::file::nearest::nearest;
use crate::file::quota::{QuotaFields, QuotaText};
use crate::file::raw::{CountWord, PolicyEntry, RawCount, RawPolicy};
use crate::file::read::{Field, List, OneOrMany, Text};
use crate::file::source::Location;
use crate::{Allowance, Alternatives, Counted, Part, Place, Places, Policy};

/// A policy of `[policies]`.
#[derive(Debug)]
pub(super) struct Named {
    /// Itself; `None` when something is wrong with it.
    policy: Option<Policy>,
    /// Whether it says what it counts by.
    partitioned: bool,
}

impl PolicyEntry {
    pub(super) fn at(&self) -> Location {
        match self {
            Self::Text(text) => text.at,
            Self::Inline(policy) => policy.place,
        }
    }
}

impl Checker<'_> {
    /// The policies of `[policies]`.
    pub(super) fn named_policies(&mut self) -> BTreeMap<String, Named> {
        let file = self.file;
        let mut named = BTreeMap::new();
        for (name, raw) in file.policies.get().into_iter().flat_map(|named| &named.0) {
            let policy = match PolicyName::new(name.as_str()) {
                Ok(valid) => self.policy(raw, Some(valid), None),
                Err(_) => None,
            };
            let partitioned = !raw.partition_by.is_absent();
            named.insert(
                name.value.clone(),
                Named {
                    policy,
                    partitioned,
                },
            );
        }
        named
    }

    /// The policies of `[policies]` for calls by name.
    pub(super) fn policies_by_name(&self) -> BTreeMap<String, Arc<Policy>> {
        let right = self.named.iter().filter_map(|(name, named)| {
            let policy = named.policy.clone()?;
            Some((name.clone(), Arc::new(policy)))
        });
        right.collect()
    }

    /// An entry of a list of policies.
    pub(super) fn entry(&mut self, entry: &PolicyEntry, used: &Use) -> Option<Arc<Policy>> {
        let policy = match entry {
            PolicyEntry::Text(text) => match text.as_str().strip_prefix('@') {
                Some(name) => self.reference(text, name, used)?,
                None => self.plain(text, used)?,
            },
            PolicyEntry::Inline(raw) => self.inline(raw, used)?,
        };
        if let Some(known) = self.names.0.get_mut(policy.name.as_str()) {
            let apart = counts_consumers_apart(&policy);
            known.uses.push((used.clone(), apart));
        }
        if *used == Use::Edge {
            self.check_edge(&policy, entry.at());
        }
        self.check_known_on_route(&policy, used, entry.at());
        if let Use::Descriptor(place) = used {
            self.check_described(&policy, place, entry.at());
        }
        Some(Arc::new(policy))
    }

    /// `"@name"`.
    fn reference(&mut self, text: &Text, name: &str, used: &Use) -> Option<Policy> {
        let Some(named) = self.named.get(name) else {
            let near = nearest(name, self.named.keys().map(String::as_str)).map(str::to_owned);
            let inline = self.names.0.contains_key(name);
            let known: Vec<String> = self.named.keys().map(|name| format!("@{name}")).collect();
            let message = format!("there is no policy `{name}` in [policies]");
            let fault = self.findings.add(text.at, text.told(message));
            if matches!(known.len(), 1..=12) {
                fault.expected(known.join(", "));
            }
            if let Some(near) = near {
                fault.help(format!("did you mean `@{near}`?"));
            } else if inline {
                fault.help("only a policy of [policies] can be used in several lists");
            }
            return None;
        };
        let mut policy = named.policy.clone()?;
        if !named.partitioned {
            policy.partition_by = alone(used.partition());
        }
        Some(policy)
    }

    /// A quota string.
    fn plain(&mut self, text: &Text, used: &Use) -> Option<Policy> {
        let quota = self.quota_text(text)?;
        let name = self.made_up_name(used, &quota, text.at)?;
        let fields = QuotaFields::default();
        let allowance = self.allowance(None, text, &quota, &name, &fields)?;
        let mut policy = Policy::new(name, Some(allowance));
        policy.partition_by = alone(used.partition());
        Some(policy)
    }

    /// An inline table.
    fn inline(&mut self, raw: &RawPolicy, used: &Use) -> Option<Policy> {
        let name = match raw.name.get() {
            Some(name) => Some(PolicyName::new(name.as_str()).ok()?),
            None => None,
        };
        if matches!(raw.name, Field::Wrong) {
            return None;
        }
        self.policy(raw, name, Some(used))
    }

    /// A policy from its table. Without a name, one is made up from its place.
    fn policy(
        &mut self,
        raw: &RawPolicy,
        name: Option<PolicyName>,
        used: Option<&Use>,
    ) -> Option<Policy> {
        let quotas = raw.quota.get().and_then(|value| self.quotas(value));
        let before = self.findings.len();
        let fields = self.quota_fields(raw);
        let fields_are_right = self.findings.len() == before && !has_wrong_fields(raw);
        let parts = self.partition(raw);
        let store = self.store_name(raw);
        let counted = self.counted(raw);
        let cookie = self.exempt_cookie(raw, &parts, &counted);
        let at = self.places(&raw.at);
        let quotas = quotas?;
        let naming = quotas.naming();
        let name = match (name, used, naming) {
            (Some(name), _, _) => name,
            (None, Some(used), Some(quota)) => self.made_up_name(used, &quota, raw.place)?,
            _ => return None,
        };
        if !fields_are_right {
            return None;
        }
        let (allowance, by_plan) = self.allowances(raw, &quotas, &name, &fields)?;
        let all: Vec<&Allowance> = allowance.iter().chain(by_plan.values()).collect();
        self.check_calendar(raw, &all);
        self.check_cost(raw, &all);
        self.check_leased(raw, &all);
        if let Some(known) = self.names.0.get_mut(name.as_str()) {
            known.fields = fields.clone();
            known.in_gateway = at.gateway;
            for (alternatives, at) in &parts {
                let parts = alternatives.0.iter().cloned();
                known.parts.extend(parts.map(|part| (part, *at)));
            }
            let account = cookie.iter().flat_map(|(_, account)| account);
            known.parts.extend(account.cloned());
        }
        let penalty = self.penalty(raw, &name);
        let partition_by = match used {
            _ if !raw.partition_by.is_absent() => parts.into_iter().map(|(part, _)| part).collect(),
            Some(used) => alone(used.partition()),
            None => alone(vec![Part::Caller]),
        };
        let normalize = raw.normalize.get().into_iter().flat_map(List::iter);
        let policy = Policy {
            by_plan,
            partition_by,
            normalize: normalize.map(|choice| choice.value).collect(),
            when_missing: raw.when_missing.get().map(|c| c.value).unwrap_or_default(),
            cost: raw.cost.get().map(|cost| cost.value),
            mode: raw.action.get().map(|c| c.value).unwrap_or_default(),
            counted,
            count_denials: raw.denials.get().is_some_and(|denials| denials.value),
            disclose: raw.disclose.get().map(|c| c.value).unwrap_or_default(),
            store,
            on_store_failure: raw.on_store_failure.get().map(|choice| choice.value),
            precision: raw.precision.get().map(|c| c.value).unwrap_or_default(),
            at,
            penalty,
            exempt_cookie: cookie.map(|(cookie, _)| cookie),
            fields,
            ..Policy::new(name, allowance)
        };
        (self.findings.len() == before).then_some(policy)
    }

    fn counted(&mut self, raw: &RawPolicy) -> Counted {
        let statuses = match raw.count.get() {
            None => return Counted::All,
            Some(RawCount::Word(word)) => {
                return match word.value {
                    CountWord::All => Counted::All,
                    CountWord::Failures => Counted::Failures,
                    CountWord::Successes => Counted::Successes,
                };
            }
            Some(RawCount::Statuses(statuses)) => statuses,
        };
        if statuses.empty {
            self.findings
                .add(statuses.at, "a policy that counts no status never limits")
                .expected("statuses such as [401, 403]");
        }
        let mut counted = Vec::new();
        for status in statuses.iter() {
            match u16::try_from(status.value)
                .ok()
                .filter(|s| (100..=599).contains(s))
            {
                Some(status) => counted.push(status),
                None => {
                    self.findings
                        .add(status.at, format!("{} is not a status", status.value))
                        .expected("100 to 599");
                }
            }
        }
        Counted::Statuses(counted)
    }

    fn places(&mut self, field: &Field<OneOrMany<crate::file::raw::Choice<Place>>>) -> Places {
        let Some(places) = field.get() else {
            return Places::default();
        };
        if places.0.empty {
            self.findings
                .add(places.0.at, "a policy that is enforced nowhere")
                .expected("\"gateway\", \"app\", \"decide\"")
                .help("leave it out for all three");
        }
        let has = |place: Place| places.0.iter().any(|choice| choice.value == place);
        Places {
            gateway: has(Place::Gateway),
            app: has(Place::App),
            decide: has(Place::Decide),
        }
    }

    fn store_name(&mut self, raw: &RawPolicy) -> String {
        let Some(store) = raw.store.get() else {
            return "default".to_owned();
        };
        if !self.stores.contains_key(store.as_str()) && !self.has_store(store.as_str()) {
            let near = nearest(store.as_str(), self.stores.keys().map(String::as_str));
            let near = near.map(str::to_owned);
            let fault = self
                .findings
                .add(store.at, format!("there is no store `{}`", store.written));
            fault.expected("a store of [stores]");
            if let Some(near) = near {
                fault.help(format!("did you mean `{near}`?"));
            }
        }
        store.value.clone()
    }

    /// The quota that replaces a policy's own for one consumer.
    pub(super) fn replaced(&mut self, policy: &str, text: &Text) -> Option<Allowance> {
        let quota: QuotaText = self.quota_text(text)?;
        let name = PolicyName::new(policy).ok()?;
        let fields = self.names.0.get(policy)?.fields.beside(&quota);
        self.allowance(None, text, &quota, &name, &fields)
    }
}

/// Whether a field that says more about the quota could not be read.
fn has_wrong_fields(raw: &RawPolicy) -> bool {
    raw.burst.is_wrong()
        || raw.algorithm.is_wrong()
        || raw.window.is_wrong()
        || raw.max_delay.is_wrong()
        || raw.time_zone.is_wrong()
        || raw.anchor_day.is_wrong()
}

/// Parts without alternatives.
pub(super) fn alone(parts: Vec<Part>) -> Vec<Alternatives> {
    parts
        .into_iter()
        .map(|part| Alternatives(vec![part]))
        .collect()
}
