//! What a request asks: its descriptors, within bounds.

use aforo_policy::DescriptorEntry;

use super::messages::{RateLimitRequest, Unit};

/// The most descriptors of a request.
const MOST_DESCRIPTORS: usize = 128;
/// The most entries of a descriptor.
const MOST_ENTRIES: usize = 64;

/// What a request asks.
#[derive(Debug)]
pub(crate) struct Asked<'r> {
    /// The entries of all descriptors, one after the other.
    entries: Vec<DescriptorEntry<'r>>,
    descriptors: Vec<AskedDescriptor>,
}

/// A descriptor of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedDescriptor {
    /// Where its entries end.
    end: usize,
    /// Units to take; 0 looks.
    pub(crate) hits: u64,
    /// A quota that came with it: units, and seconds in which they may be taken.
    pub(crate) limit: Option<(u32, u64)>,
}

/// Why a request is no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAsked {
    #[error("expected a domain")]
    NoDomain,
    #[error("expected 1 to 128 descriptors")]
    Descriptors,
    #[error("expected a descriptor with 1 to 64 entries, each with a key")]
    Entries,
    #[error("expected the unit of a descriptor's limit")]
    Unit,
}

impl<'r> Asked<'r> {
    /// Units: those of the descriptor, 0 to look; else those of the request, 0 being 1. Negative
    /// ones would give back what others took, so they only look.
    pub(crate) fn of(request: &'r RateLimitRequest) -> Result<Self, NotAsked> {
        if request.domain.is_empty() {
            return Err(NotAsked::NoDomain);
        }
        if !(1..=MOST_DESCRIPTORS).contains(&request.descriptors.len()) {
            return Err(NotAsked::Descriptors);
        }
        let mut asked = Self {
            entries: Vec::with_capacity(request.descriptors.len().saturating_mul(2)),
            descriptors: Vec::with_capacity(request.descriptors.len()),
        };
        for descriptor in &request.descriptors {
            let named = descriptor.entries.iter().all(|entry| !entry.key.is_empty());
            if !named || !(1..=MOST_ENTRIES).contains(&descriptor.entries.len()) {
                return Err(NotAsked::Entries);
            }
            let entries = descriptor.entries.iter().map(|entry| DescriptorEntry {
                key: &entry.key,
                value: &entry.value,
            });
            asked.entries.extend(entries);
            let limit = match &descriptor.limit {
                None => None,
                Some(limit) => {
                    let unit = Unit::try_from(limit.unit).unwrap_or(Unit::Unknown);
                    let seconds = unit.seconds().ok_or(NotAsked::Unit)?;
                    Some((limit.requests_per_unit, seconds))
                }
            };
            let of_request = u64::from(request.hits_addend.max(1));
            let hits = descriptor.hits_addend.unwrap_or(of_request);
            asked.descriptors.push(AskedDescriptor {
                end: asked.entries.len(),
                hits: if descriptor.is_negative_hits { 0 } else { hits },
                limit,
            });
        }
        Ok(asked)
    }

    /// The descriptors with their entries.
    pub(crate) fn descriptors(
        &self,
    ) -> impl Iterator<Item = (AskedDescriptor, &[DescriptorEntry<'r>])> {
        let mut begin = 0;
        self.descriptors.iter().map(move |one| {
            let entries = self.entries.get(begin..one.end).unwrap_or_default();
            begin = one.end;
            (*one, entries)
        })
    }

    /// The entries of all descriptors.
    pub(crate) fn entries(&self) -> &[DescriptorEntry<'r>] {
        &self.entries
    }

    /// How many descriptors there are.
    pub(crate) const fn count(&self) -> usize {
        self.descriptors.len()
    }

    /// The most units that a descriptor takes.
    pub(crate) fn most_hits(&self) -> u64 {
        let hits = self.descriptors.iter().map(|one| one.hits);
        hits.max().unwrap_or(0)
    }
}
