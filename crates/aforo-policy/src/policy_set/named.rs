//! Calls by a policy's name, without a request.

use aforo_core::{HashKey, Timestamp};

use super::PolicySet;
use crate::partition::{Encoding, Partition, Tag, normalized};
use crate::{Charges, Metered, Place, Planned, PlannedCharge, Policy, Scope};

impl PolicySet {
    /// Adds the charge of one policy of `[policies]` by name, for calls without a request. The
    /// parts of `partition` stand for what requests say, normalised as the policy says; none of
    /// them is one bucket for all. `None` when there is no such policy; no charge is added when it
    /// is unlimited.
    #[must_use]
    pub fn add_charge_by_name<'a>(
        &'a self,
        charges: &mut Charges<'a>,
        (name, partition): (&str, &[&[u8]]),
        cost: u64,
        now: Timestamp,
        key: &HashKey,
    ) -> Option<()> {
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
        let partition = Partition::of(&encoding, key);
        sum.add_partition(charges, Scope::Name, policy, partition);
        Some(())
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
