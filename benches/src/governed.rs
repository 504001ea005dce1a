//! The peer in the process: governor's keyed limiter on its default store, a `DashMap`.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::Failure;

/// Units that fit at once. So many that nothing is ever denied in a run.
pub const BURST: u32 = 1_000_000;

/// How long one unit takes to flow back. So long that no entry decays in a run.
pub const PERIOD: Duration = Duration::from_millis(2_592);

/// governor, with its keys built beforehand.
pub struct Governed<K: Hash + Eq + Clone> {
    limiter: DefaultKeyedRateLimiter<K>,
    keys: Vec<K>,
}

impl<K: Hash + Eq + Clone> Governed<K> {
    /// A limiter of 1,000,000 units in 30 days, all at once if need be.
    ///
    /// # Errors
    /// When governor refuses the quota.
    pub fn new(keys: Vec<K>) -> Result<Self, Failure> {
        let quota = Quota::with_period(PERIOD).ok_or("governor refuses the period")?;
        let burst = NonZeroU32::new(BURST).ok_or("a burst of zero")?;
        let limiter = RateLimiter::keyed(quota.allow_burst(burst));
        Ok(Self { limiter, keys })
    }

    /// Takes one unit for the key at `place`; whether it was there.
    #[inline]
    pub fn charge(&self, place: u32) -> bool {
        let key = self.keys.get(place as usize);
        key.is_some_and(|key| self.limiter.check_key(key).is_ok())
    }
}
