//! Three policies of one request through Aforo's memory store, and through governor.

use std::hint::black_box;

use aforo_core::{Charge, HashKey, PartitionHash, PolicyName, Principal, Quota, Span, Terms};
use aforo_store::{Answer, Batch, MemoryStore, Store};

use crate::Failure;
use crate::governed::{BURST, Governed};
use crate::keys::{self, HOT};

/// Two policies of a consumer's plan and one of a route, for [`HOT`] consumers. The partition
/// keys are hashed beforehand.
pub struct Batched {
    store: MemoryStore,
    terms: [Terms; 3],
    consumers: Vec<Consumer>,
}

/// The partition keys of a consumer.
#[derive(Clone, Copy)]
struct Consumer {
    itself: PartitionHash,
    on_route: PartitionHash,
}

impl Batched {
    /// A store in which nothing is ever denied and no entry decays in a run.
    ///
    /// # Errors
    /// When a quota is refused.
    pub fn new() -> Result<Self, Failure> {
        let hash = HashKey::new([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344]);
        let consumer = |place| {
            let key = keys::array(place);
            Consumer {
                itself: hash.hash(&key),
                on_route: hash.hash(&[key.as_slice(), b"/v1/orders"].concat()),
            }
        };
        Ok(Self {
            store: MemoryStore::builder().max_keys(1 << 16).build(),
            terms: [
                terms("pro-per-day", BURST.into(), 86_400)?,
                terms("pro-per-month", 10_000_000, 2_592_000)?,
                terms("orders", 50_000_000, 2_592_000)?,
            ],
            consumers: (0..HOT).map(consumer).collect(),
        })
    }

    /// Takes one unit of each policy for the consumer at `place`; whether they were there.
    #[inline]
    pub fn charge(&self, place: u32) -> bool {
        let Some(consumer) = self.consumers.get(place as usize) else {
            return false;
        };
        let [day, month, route] = &self.terms;
        let mut batch = Batch::new();
        batch.push(charge(day, consumer.itself, consumer.itself));
        batch.push(charge(month, consumer.itself, consumer.itself));
        batch.push(charge(route, consumer.itself, consumer.on_route));
        match &self.store.charge(&batch) {
            Answer::Ready(Some(Ok(charged))) => black_box(charged).taken,
            _ => false,
        }
    }
}

/// Three of governor's keyed limiters.
pub struct ThreeGoverned([Governed<String>; 3]);

impl ThreeGoverned {
    /// Limiters of the hot keys.
    ///
    /// # Errors
    /// When governor refuses the quota.
    pub fn new() -> Result<Self, Failure> {
        let text = |place| String::from_utf8_lossy(&keys::array(place)).into_owned();
        let one = || Governed::new((0..HOT).map(text).collect());
        Ok(Self([one()?, one()?, one()?]))
    }

    /// Takes one unit of each; whether they were there.
    #[inline]
    pub fn charge(&self, place: u32) -> bool {
        self.0.iter().all(|limiter| limiter.charge(place))
    }
}

fn terms(name: &str, amount: u64, seconds: u64) -> Result<Terms, Failure> {
    let quota = Quota::token_bucket(amount, Span::from_seconds(seconds), None)
        .map_err(|refused| format!("the quota is refused: {refused:?}"))?;
    let name = PolicyName::new(name).map_err(|error| error.to_string())?;
    Ok(Terms::new(name, quota))
}

fn charge(terms: &Terms, principal: PartitionHash, partition: PartitionHash) -> Charge<'_> {
    Charge {
        partition,
        ..Charge::new(terms, Principal::known(principal), 1)
    }
}
