//! Descriptors of Envoy's rate limit service.

use std::sync::Arc;

use aforo_core::{PartitionHash, PolicyName, Quota, Span, Terms, Window};
use aforo_policy::{Described, DescriptorEntry, Metered, Policy, Refusal};
use smallvec::SmallVec;

use super::{Ruling, ThrottleError, Told};
use crate::{Limiter, way};

/// A descriptor of a request.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor<'a> {
    /// Its entries, in order.
    pub entries: &'a [DescriptorEntry<'a>],
    /// Units to take; 0 looks.
    pub hits: u64,
    /// A quota that came with it and replaces those of the file.
    pub limit: Option<&'a BroughtQuota>,
}

/// A quota that comes with a descriptor, charged to the policy `envoy.limit` in the store `default`.
#[derive(Debug)]
pub struct BroughtQuota {
    policy: Policy,
    /// `None`: nothing is allowed.
    metered: Option<Metered>,
}

impl BroughtQuota {
    /// `amount` units in each window of `period` seconds, aligned to the epoch.
    ///
    /// # Errors
    /// When it cannot be counted exactly, see [`aforo_core::QuotaError`].
    pub fn new(amount: u64, period: u64) -> Result<Self, ThrottleError> {
        let name = PolicyName::new("envoy.limit")?;
        let metered = if amount == 0 {
            None
        } else {
            let window = Window::Length(Span::from_seconds(period));
            let quota = Quota::fixed_window(amount, window)?;
            Some(Metered {
                terms: Arc::new(Terms::new(name.clone(), quota)),
                calendar: None,
                max_delay: None,
            })
        };
        let policy = Policy::new(name, None);
        Ok(Self { policy, metered })
    }
}

/// A decision over several descriptors.
#[derive(Debug)]
pub struct DescriptorsRuling {
    /// The decision.
    pub ruling: Ruling,
    /// For each descriptor, how many policies there are up to its last.
    pub(crate) ends: SmallVec<[usize; 4]>,
    /// What each policy counted by; `None` with quota 0.
    pub(crate) partitions: SmallVec<[Option<PartitionHash>; 6]>,
}

impl DescriptorsRuling {
    /// For each descriptor its policies, in order, each with the hash of what it counted by.
    pub fn told(
        &self,
    ) -> impl Iterator<Item = impl Iterator<Item = (Told<'_>, Option<PartitionHash>)>> {
        let mut begin = 0;
        self.ends.iter().map(move |end| {
            let (skipped, count) = (begin, end.saturating_sub(begin));
            begin = *end;
            let partitions = self.partitions.iter().copied();
            self.ruling.told().zip(partitions).skip(skipped).take(count)
        })
    }
}

impl Limiter {
    /// Whether the file has `[[descriptors]]` of this domain.
    pub fn has_domain(&self, domain: &str) -> bool {
        self.setup.load().policies.has_domain(domain)
    }

    /// Takes what the descriptors of a request ask for, all or nothing. The same policy and
    /// partition key in two of them is added up. A descriptor that no table of the file fits is not
    /// counted.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use aforo::Limiter;
    /// use aforo::decide::Descriptor;
    /// use aforo::policy::DescriptorEntry;
    ///
    /// let text = "[[descriptors]]\ndomain = \"web\"\nentries = [{ key = \"user\" }]\npolicies = [\"1/hour\"]";
    /// let settings = aforo::policy::Settings::parse("aforo.toml", text, &aforo::ProcessEnvironment)?;
    /// let limiter = Limiter::from_settings(settings)?;
    /// let entries = [DescriptorEntry { key: "user", value: "ana" }];
    /// let descriptor = Descriptor { entries: &entries, hits: 1, limit: None };
    /// assert!(limiter.decide_descriptors("web", &[descriptor]).await?.ruling.is_allowed());
    /// assert!(!limiter.decide_descriptors("web", &[descriptor]).await?.ruling.is_allowed());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a policy counts by an entry that is there twice, or by an address that is none.
    pub async fn decide_descriptors(
        &self,
        domain: &str,
        descriptors: &[Descriptor<'_>],
    ) -> Result<DescriptorsRuling, Refusal> {
        let described: SmallVec<[Described<'_>; 4]> =
            descriptors.iter().map(Descriptor::described).collect();
        way::rule_descriptors(self, domain, &described).await
    }

    /// The same where all stores answer at once (memory); `None` when one has to be waited for, and
    /// nothing was taken.
    pub fn decide_descriptors_now(
        &self,
        domain: &str,
        descriptors: &[Descriptor<'_>],
    ) -> Option<Result<DescriptorsRuling, Refusal>> {
        let immediate = self.setup.load().immediate;
        let ruling = immediate.then(|| self.decide_descriptors(domain, descriptors))?;
        crate::at_once::at_once(ruling)
    }
}

impl<'a> Descriptor<'a> {
    fn described(&self) -> Described<'a> {
        Described {
            entries: self.entries,
            hits: self.hits,
            limit: self
                .limit
                .map(|brought| (&brought.policy, brought.metered.as_ref())),
        }
    }
}
