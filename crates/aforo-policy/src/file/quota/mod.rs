//! Quotas as text: `AMOUNT/[N]UNIT [burst B] [ALGORITHM]`.

mod meaning;
mod parse;
mod unit;

#[cfg(test)]
mod tests;

use std::fmt;

use aforo_core::{Algorithm, PolicyName};
use thiserror::Error;

use crate::{Alternatives, Part, Policy};

pub(crate) use meaning::QuotaFields;
pub(in crate::file) use meaning::{About, Senseless};
pub use parse::QuotaTextError;
pub use unit::QuotaUnit;

/// A quota as it is written.
///
/// ```
/// use aforo_policy::file::{Amount, QuotaText, QuotaUnit};
///
/// let quota: QuotaText = "1_000/15min burst 50".parse()?;
/// assert_eq!(quota.amount, Amount::Units(1_000));
/// assert_eq!((quota.count, quota.unit), (Some(15), Some(QuotaUnit::Minute)));
/// assert_eq!(quota.to_string(), "1000/15minute burst 50");
///
/// let error = "10/horu".parse::<QuotaText>().unwrap_err();
/// assert_eq!(error.place, 3..7);
/// assert_eq!(error.help.as_deref(), Some("did you mean `hour`?"));
/// # Ok::<(), aforo_policy::file::QuotaTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaText {
    /// Units per window.
    pub amount: Amount,
    /// How many of the unit the window is; `None`: not written, which is one.
    pub count: Option<u64>,
    /// The window's unit; `None` only with `unlimited`.
    pub unit: Option<QuotaUnit>,
    /// Units at once.
    pub burst: Option<u64>,
    /// The algorithm, when one is named.
    pub algorithm: Option<Algorithm>,
}

/// Units per window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// An integer; 0 blocks.
    Units(u64),
    /// `unlimited`.
    Unlimited,
}

/// Why a name and a quota make no policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyTextError {
    /// The name is not one.
    #[error("{0}")]
    Name(#[from] aforo_core::PolicyNameError),
    /// The quota is malformed.
    #[error("{0}")]
    Quota(#[from] QuotaTextError),
    /// The quota's parts do not go together, or it cannot be counted exactly.
    #[error("{0}")]
    Senseless(String),
}

impl Policy {
    /// A policy without a file: a name, a quota, and the defaults of a plan's policy (it counts
    /// by caller and denies).
    ///
    /// ```
    /// use aforo_policy::{Allowance, Policy};
    ///
    /// let policy = Policy::parse("api", "60/minute burst 10")?;
    /// let Some(Allowance::Metered(metered)) = &policy.allowance else { panic!() };
    /// assert_eq!(metered.terms.quota().capacity(), 10);
    /// # Ok::<(), aforo_policy::file::PolicyTextError>(())
    /// ```
    ///
    /// # Errors
    /// See [`PolicyTextError`].
    pub fn parse(name: &str, quota: &str) -> Result<Self, PolicyTextError> {
        let name = PolicyName::new(name)?;
        let quota: QuotaText = quota.parse()?;
        let allowance = quota
            .allowance(&name, &QuotaFields::default())
            .map_err(|senseless| PolicyTextError::Senseless(senseless.to_string()))?;
        Ok(Self::new(name, Some(allowance)))
    }

    /// What another quota of this policy would allow: a consumer's negotiated one, which comes from
    /// outside the file. Calendar, time zone and whatever else the policy's own fields say of its
    /// quota hold for it too, as they do for an override of the file.
    ///
    /// ```
    /// use aforo_policy::{Allowance, Policy};
    ///
    /// let policy = Policy::parse("api", "60/minute burst 10")?;
    /// let Allowance::Metered(metered) = policy.negotiated("600/minute burst 100")? else { panic!() };
    /// assert_eq!(metered.terms.quota().capacity(), 100);
    /// assert!(policy.negotiated("600/mniute").is_err());
    /// # Ok::<(), aforo_policy::file::PolicyTextError>(())
    /// ```
    ///
    /// # Errors
    /// See [`PolicyTextError`].
    pub fn negotiated(&self, quota: &str) -> Result<crate::Allowance, PolicyTextError> {
        let quota: QuotaText = quota.parse()?;
        quota
            .allowance(&self.name, &self.fields.beside(&quota))
            .map_err(|senseless| PolicyTextError::Senseless(senseless.to_string()))
    }

    /// A policy with every field at its default.
    pub fn new(name: PolicyName, allowance: Option<crate::Allowance>) -> Self {
        Self {
            name,
            allowance,
            by_plan: std::collections::BTreeMap::new(),
            partition_by: vec![Alternatives(vec![Part::Caller])],
            normalize: Vec::new(),
            when_missing: crate::WhenMissing::default(),
            cost: None,
            mode: aforo_core::Mode::default(),
            counted: crate::Counted::default(),
            count_denials: false,
            disclose: crate::Disclosure::default(),
            store: "default".to_owned(),
            on_store_failure: None,
            precision: crate::Precision::default(),
            at: crate::Places::default(),
            penalty: None,
            exempt_cookie: None,
            share: None,
            fields: QuotaFields::default(),
        }
    }
}

impl QuotaText {
    /// The window as names show it: `minute`, `15minute`, `unlimited`.
    pub(in crate::file) fn suffix(&self) -> String {
        match (self.unit, self.count) {
            (None, _) => "unlimited".to_owned(),
            (Some(unit), None | Some(1)) => unit.as_str().to_owned(),
            (Some(unit), Some(count)) => format!("{count}{}", unit.as_str()),
        }
    }
}

impl fmt::Display for QuotaText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.amount {
            Amount::Units(amount) => write!(f, "{amount}")?,
            Amount::Unlimited => f.write_str("unlimited")?,
        }
        if self.unit.is_some() {
            write!(f, "/{}", self.suffix())?;
        }
        if let Some(burst) = self.burst {
            write!(f, " burst {burst}")?;
        }
        if let Some(algorithm) = self.algorithm {
            write!(f, " {}", algorithm_word(algorithm))?;
        }
        Ok(())
    }
}

/// The word for an algorithm.
pub(in crate::file) const fn algorithm_word(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::TokenBucket => "token-bucket",
        Algorithm::LeakyBucket => "leaky-bucket",
        Algorithm::FixedWindow => "fixed-window",
        Algorithm::SlidingWindow => "sliding-window",
        Algorithm::SlidingLog => "sliding-log",
    }
}
