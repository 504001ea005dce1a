//! What 100,000 consumers with three policies each take of a server's memory.

use std::sync::Arc;

use aforo_benches::Failure;
use aforo_benches::row::{Row, Target};
use aforo_core::Principal;
use aforo_servers::Redis;
use aforo_store::Store;
use tokio::task::JoinSet;

use crate::load::{batch, policies, secret, store};

const CONSUMERS: u64 = 100_000;
const POLICIES: usize = 3;

/// The packed values beside three hashes for each consumer.
pub(crate) fn row() -> Result<Row, Failure> {
    let (ours, theirs) = (packed()?, hashes()?);
    let figure = ours / theirs;
    Ok(Row {
        what: "redis: memory for a policy of a consumer, 100,000 with three each, over hashes"
            .to_owned(),
        ours: format!("{ours:.0} B"),
        theirs: format!("{theirs:.0} B"),
        figure: format!("{figure:.2}×"),
        value: figure,
        target: Target::AtMost(0.6),
    })
}

/// Bytes for a policy of a consumer in the store.
fn packed() -> Result<f64, Failure> {
    let server = Redis::start();
    let store = Arc::new(store(&server)?);
    let policies = policies(POLICIES)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let before = used(&server)?;
    runtime.block_on(async {
        let mut askers = JoinSet::new();
        for asker in 0..64 {
            let (store, policies) = (Arc::clone(&store), policies.clone());
            askers.spawn(async move {
                for consumer in (asker..CONSUMERS).step_by(64) {
                    let caller = Principal::known(secret().hash(&consumer.to_le_bytes()));
                    store.charge(&batch(&policies, caller)).await?;
                }
                Ok::<(), Failure>(())
            });
        }
        askers
            .join_all()
            .await
            .into_iter()
            .collect::<Result<(), Failure>>()
    })?;
    per_policy(&server, before)
}

/// Bytes for a policy of a consumer in a hash of its own, with an expiry.
fn hashes() -> Result<f64, Failure> {
    let server = Redis::start();
    let mut connection = redis::Client::open(server.url())?.get_connection()?;
    let before = used(&server)?;
    let names = ["per-second", "per-minute", "per-hour"];
    for consumer in 0..CONSUMERS {
        let hash = secret().hash(&consumer.to_le_bytes()).0;
        let mut pipeline = redis::pipe();
        for name in names {
            let key = format!("aforo:{{{hash:032x}}}:{name}");
            pipeline.cmd("HSET").arg(&key);
            pipeline.arg("last").arg(1_764_500_000_123_456_u64);
            pipeline.arg("level").arg(1_000_000_u64).ignore();
            pipeline.cmd("PEXPIRE").arg(&key).arg(3_600_000).ignore();
        }
        pipeline.query::<()>(&mut connection)?;
    }
    per_policy(&server, before)
}

fn per_policy(server: &Redis, before: f64) -> Result<f64, Failure> {
    let entries = CONSUMERS as f64 * POLICIES as f64;
    Ok((used(server)? - before) / entries)
}

/// Bytes that the server has allocated.
fn used(server: &Redis) -> Result<f64, Failure> {
    let memory = server.ask(&["INFO", "memory"]);
    let line = memory
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    Ok(line.ok_or("the server tells its memory")?.trim().parse()?)
}
