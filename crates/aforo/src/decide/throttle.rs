//! Quotas that come with the question, as in redis-cell's `CL.THROTTLE`.

use std::sync::Arc;

use aforo_core::{PolicyName, PolicyNameError, Quota, QuotaError, Span, Terms};
use aforo_policy::{Charges, Metered, Policy};
use thiserror::Error;

use crate::limiter::checked;
use crate::setup::Setup;
use crate::taking::{How, Line, Lines, Receipts, Taking};
use crate::{Check, CheckError, Limiter};

/// The policy that all of them are charged to.
const NAME: &str = "cl.throttle";

/// A quota that comes with the question, ready to be charged: a token bucket of the policy
/// `cl.throttle`, in the store `default`, partitioned by a key.
///
/// A key keeps its bucket when the quota changes: the units used are carried over.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use aforo::Limiter;
/// use aforo::decide::Throttle;
///
/// let limiter = Limiter::builder().policy("unused", "1/s").build()?;
/// // 16 at once, then 30 in 60 seconds.
/// let throttle = Throttle::new(16, 30, 60)?;
/// let check = limiter.throttle_now(&throttle, b"user123", 1).ok_or("memory answers at once")??;
/// assert_eq!(check.outcome.map(|outcome| outcome.remaining), Some(15));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Throttle {
    policy: Policy,
    metered: Metered,
}

/// Why a quota cannot be charged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThrottleError {
    /// Its numbers.
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// Its name.
    #[error(transparent)]
    Name(#[from] PolicyNameError),
}

impl Throttle {
    /// `capacity` units at once, `count` flow back in `period` seconds.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn new(capacity: u64, count: u64, period: u64) -> Result<Self, ThrottleError> {
        let name = PolicyName::new(NAME)?;
        let quota = Quota::token_bucket(count, Span::from_seconds(period), Some(capacity))?;
        Ok(Self {
            metered: Metered {
                terms: Arc::new(Terms::new(name.clone(), quota)),
                calendar: None,
                max_delay: None,
            },
            policy: Policy::new(name, None),
        })
    }

    fn charges<'a>(
        &'a self,
        limiter: &Limiter,
        setup: &'a Setup,
        key: &[u8],
        cost: u64,
    ) -> Charges<'a> {
        let (now, secret) = (limiter.fixed.clock.now(), &limiter.fixed.key);
        setup
            .policies
            .charge_of(&self.policy, &self.metered, key, cost, now, secret)
    }
}

impl Limiter {
    /// Takes `cost` units of `throttle` for `key`; `None` when the store has to be waited for.
    pub fn throttle_now(
        &self,
        throttle: &Throttle,
        key: &[u8],
        cost: u64,
    ) -> Option<Result<Check, CheckError>> {
        let setup = self.setup.load();
        if !setup.immediate {
            return None;
        }
        let charges = throttle.charges(self, &setup, key, cost);
        let mut lines: Lines = charges.planned.iter().map(Line::of).collect();
        let mut receipts = Receipts::default();
        let mut taking = Taking::new(&mut lines, &mut receipts);
        taking.put_now(self.put_of(&setup, &charges, How::Take));
        Some(checked(taking))
    }

    /// Takes `cost` units of `throttle` for `key`.
    ///
    /// # Errors
    /// When the store failed and its `on_store_failure` says `deny`.
    pub async fn throttle(
        &self,
        throttle: &Throttle,
        key: &[u8],
        cost: u64,
    ) -> Result<Check, CheckError> {
        let setup = self.setup.load_full();
        let charges = throttle.charges(self, &setup, key, cost);
        let mut lines: Lines = charges.planned.iter().map(Line::of).collect();
        let mut receipts = Receipts::default();
        let mut taking = Taking::new(&mut lines, &mut receipts);
        taking.put(self.put_of(&setup, &charges, How::Take)).await;
        checked(taking)
    }
}
