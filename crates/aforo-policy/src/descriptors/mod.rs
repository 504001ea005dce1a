//! Descriptors of Envoy's rate limit service: what they are to be charged.

mod tree;

use aforo_core::{HashKey, Mode, Timestamp};
use smallvec::SmallVec;

use crate::partition::{Encoding, Origin, Partition};
use crate::{
    Charges, DescriptorEntry, Metered, Part, Place, Planned, PlannedCharge, Policy, PolicySet,
    Refusal, Scope,
};
pub(crate) use tree::Tree;

/// A descriptor of a request.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    /// Its entries.
    pub entries: &'a [DescriptorEntry<'a>],
    /// Units to take; 0 looks.
    pub hits: u64,
    /// A quota that came with it and replaces those of the file.
    pub limit: Option<(&'a Policy, Option<&'a Metered>)>,
}

/// What the descriptors of a request are to be charged.
#[derive(Debug, Default)]
pub struct OfDescriptors<'a> {
    /// The charges, in the descriptors' order.
    pub charges: Charges<'a>,
    /// For each descriptor, how many charges there are up to its last.
    pub ends: SmallVec<[usize; 4]>,
}

impl PolicySet {
    /// Whether the file has tables for descriptors of this domain.
    pub fn has_domain(&self, domain: &str) -> bool {
        self.tree.has(domain)
    }

    /// What the descriptors of a request are to be charged. One that no table fits is not counted;
    /// neither is one of a domain that the file does not have, whatever quota came with it.
    ///
    /// # Errors
    /// When a policy counts by an entry that is there twice, or by an address that is none.
    pub fn charges_of_descriptors<'a>(
        &'a self,
        domain: &str,
        descriptors: &[Described<'a>],
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Result<OfDescriptors<'a>, Refusal> {
        let mut planned = OfDescriptors::default();
        for descriptor in descriptors {
            let before = planned.charges.planned.len();
            match descriptor.limit {
                Some(limit) if self.tree.has(domain) => {
                    self.add_brought(&mut planned.charges, domain, descriptor, limit, now, key);
                }
                Some(_) => {}
                None => {
                    let charges = &mut planned.charges;
                    self.add_described(charges, domain, descriptor, place, now, key)?;
                }
            }
            if descriptor.hits == 0 {
                let added = planned.charges.planned.iter_mut().skip(before);
                added.for_each(only_looks);
            }
            planned.ends.push(planned.charges.planned.len());
        }
        Ok(planned)
    }

    fn add_described<'a>(
        &'a self,
        charges: &mut Charges<'a>,
        domain: &str,
        descriptor: &Described<'_>,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Result<(), Refusal> {
        let table = self.tree.find(domain, descriptor.entries);
        let Some(table) = table.and_then(|at| self.settings.descriptors.get(at)) else {
            return Ok(());
        };
        let address = descriptor.entries.iter().find_map(DescriptorEntry::address);
        let nobody = self.origin(&self.nobody);
        let origin = Origin {
            address: address.unwrap_or(nobody.address),
            domain,
            descriptor: descriptor.entries,
            ..nobody
        };
        let mut sum = self.sum(origin, &self.nobody, place, now, key);
        sum.cost = descriptor.hits;
        for policy in &table.policies {
            if address.is_none() && policy.mode == Mode::Enforce && counts_by_address(policy) {
                return Err(Refusal::MissingPart {
                    policy: policy.name.to_string(),
                    part: "an address in the entry remote_address".to_owned(),
                });
            }
            sum.add(charges, Scope::Descriptor, policy, None)?;
        }
        Ok(())
    }

    /// Adds the charge of a quota that came with the descriptor, counted by domain and descriptor.
    fn add_brought<'a>(
        &'a self,
        charges: &mut Charges<'a>,
        domain: &str,
        descriptor: &Described<'_>,
        (policy, metered): (&'a Policy, Option<&'a Metered>),
        now: Timestamp,
        key: &HashKey,
    ) {
        let mut encoding = Encoding::default();
        let ipv6_prefix = self.settings.identity.ipv6_prefix;
        encoding.push_descriptor(domain, descriptor.entries, ipv6_prefix);
        let mut sum = self.sum(
            self.origin(&self.nobody),
            &self.nobody,
            Place::Decide,
            now,
            key,
        );
        sum.cost = descriptor.hits;
        let partition = Partition::of(&encoding, key);
        charges.planned.push(PlannedCharge {
            policy,
            scope: Scope::Descriptor,
            metered,
            planned: metered.map_or(Planned::Blocked, |metered| {
                Planned::Charge(sum.charge(policy, metered, partition))
            }),
        });
    }
}

/// A policy may set its own cost; who only looks takes nothing.
const fn only_looks(planned: &mut PlannedCharge<'_>) {
    if let Planned::Charge(charge) = &mut planned.planned {
        charge.cost = 0;
    }
}

fn counts_by_address(policy: &Policy) -> bool {
    let mut parts = policy.partition_by.iter().flat_map(|part| &part.0);
    parts.any(|part| matches!(part, Part::ClientIp(_)))
}
