//! 64 hot partition keys, exact and leased.

use std::sync::Arc;

use aforo_benches::{Failure, cpu};
use aforo_core::{PolicyName, Principal, PrincipalKind, Quota, Span, Terms};
use aforo_servers::Redis;
use aforo_store::{LeasedStore, Store, SystemClock};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::load::{IN_FLIGHT, batch, secret, store, taken};

/// Questions of a round for each partition key.
const QUESTIONS_PER_KEY: u32 = 2_000;

/// Consumers that ask at the same time, each for itself.
pub(crate) struct Leases {
    runtime: Runtime,
    exact: Arc<dyn Store>,
    leased: Arc<dyn Store>,
    policies: Arc<[Terms]>,
}

impl Leases {
    pub(crate) fn new(server: &Redis) -> Result<Self, Failure> {
        let quota = Quota::token_bucket(100_000, Span::from_seconds(1), Some(100_000))?;
        let name = PolicyName::new("hot").map_err(|error| error.to_string())?;
        let exact: Arc<dyn Store> = Arc::new(store(server)?);
        let clock = Arc::new(SystemClock::new());
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread().build()?,
            leased: Arc::new(LeasedStore::new(Arc::clone(&exact), clock)),
            exact,
            policies: Arc::new([Terms::new(name, quota)]),
        })
    }

    pub(crate) fn exact_micros(&self) -> Result<f64, Failure> {
        self.micros_per_decision(&self.exact)
    }

    pub(crate) fn leased_micros(&self) -> Result<f64, Failure> {
        self.micros_per_decision(&self.leased)
    }

    fn micros_per_decision(&self, store: &Arc<dyn Store>) -> Result<f64, Failure> {
        let (asked, time) = cpu::elapsed(|| self.runtime.block_on(self.round(store)));
        asked?;
        let questions = IN_FLIGHT as f64 * f64::from(QUESTIONS_PER_KEY);
        Ok(time.as_secs_f64() * 1e6 / questions)
    }

    async fn round(&self, store: &Arc<dyn Store>) -> Result<(), Failure> {
        let mut askers = JoinSet::new();
        for number in 0..IN_FLIGHT {
            let (store, policies) = (Arc::clone(store), Arc::clone(&self.policies));
            let caller = Principal {
                kind: PrincipalKind::Known,
                hash: secret().hash(format!("hot consumer {number}").as_bytes()),
            };
            askers.spawn(async move {
                for _ in 0..QUESTIONS_PER_KEY {
                    let batch = batch(&policies, caller);
                    taken(store.charge(&batch).await?.taken)?;
                    // As requests do, which arrive in turn.
                    tokio::task::yield_now().await;
                }
                Ok::<(), Failure>(())
            });
        }
        askers.join_all().await.into_iter().collect()
    }
}
