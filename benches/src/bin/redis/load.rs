//! A store with 64 questions in flight.

use std::sync::Arc;
use std::time::Duration;

use aforo_benches::{Failure, cpu};
use aforo_core::{Charge, HashKey, PolicyName, Principal, Quota, Span, Terms};
use aforo_servers::Redis;
use aforo_store::{Batch, RedisStore, Remote, Store};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Questions in flight.
pub(crate) const IN_FLIGHT: u64 = 64;
/// Questions of a round.
pub(crate) const QUESTIONS: u64 = 51_200;

/// One consumer that asks for a batch over and over.
pub(crate) struct Load {
    runtime: Runtime,
    store: Arc<RedisStore>,
    policies: Arc<[Terms]>,
    caller: Principal,
}

/// The store on a server, with time enough for a busy machine.
pub(crate) fn store(server: &Redis) -> Result<RedisStore, Failure> {
    let remote = Remote {
        timeout: Duration::from_secs(20),
        ..Remote::new(server.url(), secret().fingerprint())
    };
    Ok(RedisStore::open(&remote)?)
}

pub(crate) const fn secret() -> HashKey {
    HashKey::new([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210])
}

/// So many policies, none of which ever denies.
pub(crate) fn policies(count: usize) -> Result<Arc<[Terms]>, Failure> {
    let quotas = [
        Quota::token_bucket(1_000_000, Span::from_seconds(1), Some(1_000_000))?,
        Quota::sliding_window(1_000_000, Span::from_seconds(60))?,
        Quota::token_bucket(100_000_000, Span::from_seconds(3_600), Some(100_000))?,
    ];
    let names = ["per-second", "per-minute", "per-hour"];
    let policies = names.into_iter().zip(quotas).take(count);
    policies
        .map(|(name, quota)| {
            let name = PolicyName::new(name).map_err(|error| error.to_string())?;
            Ok(Terms::new(name, quota))
        })
        .collect()
}

pub(crate) fn batch<'a>(policies: &'a [Terms], caller: Principal) -> Batch<'a> {
    let mut batch = Batch::new();
    for terms in policies {
        batch.push(Charge::new(terms, caller, 1));
    }
    batch
}

impl Load {
    pub(crate) fn new(server: &Redis, count: usize) -> Result<Self, Failure> {
        let caller =
            Principal::known(secret().hash(format!("consumer with {count} policies").as_bytes()));
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread().build()?,
            store: Arc::new(store(server)?),
            policies: policies(count)?,
            caller,
        })
    }

    /// Asks once.
    pub(crate) fn ask(&self) -> Result<(), Failure> {
        let batch = batch(&self.policies, self.caller);
        let charged = self
            .runtime
            .block_on(async { self.store.charge(&batch).await })?;
        taken(charged.taken)
    }

    /// The time from one decision to the next.
    pub(crate) fn micros_per_decision(&self) -> Result<f64, Failure> {
        let (asked, time) = cpu::elapsed(|| self.runtime.block_on(self.round()));
        asked?;
        Ok(time.as_secs_f64() * 1e6 / QUESTIONS as f64)
    }

    async fn round(&self) -> Result<(), Failure> {
        let mut askers = JoinSet::new();
        for _ in 0..IN_FLIGHT {
            let (store, policies) = (Arc::clone(&self.store), Arc::clone(&self.policies));
            let caller = self.caller;
            askers.spawn(async move {
                for _ in 0..QUESTIONS.checked_div(IN_FLIGHT).unwrap_or_default() {
                    let batch = batch(&policies, caller);
                    taken(store.charge(&batch).await?.taken)?;
                }
                Ok::<(), Failure>(())
            });
        }
        askers.join_all().await.into_iter().collect()
    }
}

pub(crate) fn taken(taken: bool) -> Result<(), Failure> {
    match taken {
        true => Ok(()),
        false => Err("a charge was denied".into()),
    }
}
