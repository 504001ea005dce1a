//! One question.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::Facts;

/// The most policies of one decision.
const MOST_POLICIES: usize = 64;

/// One decision that is asked for: a request by its facts, one policy by its name, or several, of
/// which all are taken or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["request"] },
    { "required": ["policy"] },
    { "required": ["policies"] },
]))]
pub(crate) struct Question {
    /// A request's facts, which routes, plans and groups of the file are applied to.
    request: Option<Box<Facts>>,
    /// A policy of `[policies]`, by its name.
    policy: Option<String>,
    /// What is counted apart; only beside `policy`.
    partition: Option<Partition>,
    /// Several policies, of which all are taken or none.
    policies: Option<Vec<Charge>>,
    /// Units to take; only beside `policy` (1) and `request` (what its route says). A policy with a
    /// cost of its own keeps it.
    cost: Option<u64>,
    /// Whether to answer with a receipt for `/v1/refund`.
    #[serde(default)]
    receipt: bool,
}

/// One policy of several.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Charge {
    /// A policy of `[policies]`, by its name.
    pub(crate) policy: String,
    /// What is counted apart. Without it one bucket is for all.
    #[serde(default)]
    pub(crate) partition: Partition,
    /// Units to take.
    #[serde(default = "one")]
    pub(crate) cost: u64,
}

/// What is counted apart: an account, an address, anything; or several such parts.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Partition {
    /// One part.
    One(String),
    /// Several, none for one bucket for all.
    Several(Vec<String>),
}

/// What is given back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refund {
    /// The receipt of a decision.
    pub(crate) receipt: String,
}

/// What a question asks for.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A request by its facts; what it costs, where that is told.
    Request(Box<Facts>, Option<u64>),
    /// Policies by their names.
    Policies(Vec<Charge>),
}

// By hand: an untagged enum would be read into a value of any kind first.
impl<'de> Deserialize<'de> for Partition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartitionReader)
    }
}

struct PartitionReader;

impl<'de> Visitor<'de> for PartitionReader {
    type Value = Partition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E: Error>(self, part: &str) -> Result<Partition, E> {
        Ok(Partition::One(part.to_owned()))
    }

    fn visit_string<E: Error>(self, part: String) -> Result<Partition, E> {
        Ok(Partition::One(part))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Partition, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = list.next_element()? {
            parts.push(part);
        }
        Ok(Partition::Several(parts))
    }
}

impl Default for Partition {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl Question {
    /// Whether a receipt is wanted.
    pub(crate) const fn wants_receipt(&self) -> bool {
        self.receipt
    }

    /// What it asks for.
    ///
    /// # Errors
    /// What was expected instead.
    pub(crate) fn kind(self) -> Result<Kind, &'static str> {
        let Self {
            request,
            policy,
            partition,
            policies,
            cost,
            receipt: _,
        } = self;
        if policy.is_none() && partition.is_some() {
            return Err("`partition` belongs to `policy`; in `policies` each has its own");
        }
        match (request, policy, policies) {
            (Some(facts), None, None) => Ok(Kind::Request(facts, cost)),
            (None, Some(policy), None) => Ok(Kind::Policies(vec![Charge {
                policy,
                partition: partition.unwrap_or_default(),
                cost: cost.unwrap_or(1),
            }])),
            (None, None, Some(_)) if cost.is_some() => {
                Err("`cost` belongs to each of `policies`, not beside them")
            }
            (None, None, Some(policies)) if policies.is_empty() => {
                Err("expected at least one of `policies`")
            }
            (None, None, Some(policies)) if policies.len() > MOST_POLICIES => {
                Err("expected at most 64 `policies` in one decision")
            }
            (None, None, Some(policies)) => Ok(Kind::Policies(policies)),
            _ => Err("expected exactly one of `request`, `policy` and `policies`"),
        }
    }
}

const fn one() -> u64 {
    1
}
