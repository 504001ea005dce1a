//! Calls by a policy's name, without a request.

use aforo_core::{HashKey, Timestamp};

use super::PolicySet;
use crate::partition::{Encoding, Partition, Tag, normalized};
use crate::{Charges, Metered, Place, Planned, PlannedCharge, Policy, Scope};

impl PolicySet {
    /// The charge of one policy of `[policies]` by name, for calls without a request. The parts
    /// of `partition` stand for what requests say, normalised as the policy says; none of them
    /// is one bucket for all. `None` when there is no such policy; no charge when it is unlimited.
    pub fn charge_by_name<'a>(
        &'a self,
        name: &str,
        partition: &[&[u8]],
        cost: u64,
        now: Timestamp,
        key: &HashKey,
    ) -> Option<Charges<'a>> {
        let policy = self.settings.policies.get(name)?;
        let mut encoding = Encoding::default();
        for part in partition {
            encoding.push(Tag::Value, &normalized(part, &policy.normalize));
        }
        if partition.is_empty() {
            encoding.push(Tag::Everyone, &[]);
        }
        let origin = self.origin(&self.nobody);
        let mut sum = self.sum(origin, &self.nobody, Place::App, now, key);
        sum.cost = cost;
        let mut charges = Charges::default();
        sum.add_partition(
            &mut charges,
            Scope::Name,
            policy,
            Partition::of(&encoding, key),
        );
        Some(charges)
    }

    /// The charge of a policy that the file does not have, counted apart by `key` alone.
    pub fn charge_of<'a>(
        &'a self,
        policy: &'a Policy,
        metered: &'a Metered,
        key: &[u8],
        cost: u64,
        now: Timestamp,
        secret: &HashKey,
    ) -> Charges<'a> {
        let mut encoding = Encoding::default();
        encoding.push(Tag::Value, key);
        let origin = self.origin(&self.nobody);
        let mut sum = self.sum(origin, &self.nobody, Place::Decide, now, secret);
        sum.cost = cost;
        let mut charges = Charges::default();
        let partition = Partition::of(&encoding, secret);
        charges.planned.push(PlannedCharge {
            policy,
            scope: Scope::Name,
            metered: Some(metered),
            planned: Planned::Charge(sum.charge(policy, metered, partition)),
        });
        charges
    }
}
