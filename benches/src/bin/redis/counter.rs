//! The counter that people write first: `INCR` and `EXPIRE`, pipelined by the same client.

use aforo_benches::{Failure, cpu};
use aforo_servers::Redis;
use redis::aio::MultiplexedConnection;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::load::{IN_FLIGHT, QUESTIONS};

/// A connection that counts.
pub(crate) struct Counter {
    runtime: Runtime,
    connection: MultiplexedConnection,
}

impl Counter {
    pub(crate) fn new(server: &Redis) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let client = redis::Client::open(server.url())?;
        let connection = runtime.block_on(client.get_multiplexed_async_connection())?;
        Ok(Self {
            runtime,
            connection,
        })
    }

    /// The time from one count to the next.
    pub(crate) fn micros_per_count(&self) -> Result<f64, Failure> {
        let (counted, time) = cpu::elapsed(|| self.runtime.block_on(self.round()));
        counted?;
        Ok(time.as_secs_f64() * 1e6 / QUESTIONS as f64)
    }

    async fn round(&self) -> Result<(), Failure> {
        let mut counters = JoinSet::new();
        for _ in 0..IN_FLIGHT {
            let mut connection = self.connection.clone();
            counters.spawn(async move {
                for _ in 0..QUESTIONS.checked_div(IN_FLIGHT).unwrap_or_default() {
                    let mut pipeline = redis::pipe();
                    pipeline.cmd("INCR").arg("counter");
                    pipeline.cmd("EXPIRE").arg("counter").arg(60);
                    let _: (u64, u64) = pipeline.query_async(&mut connection).await?;
                }
                Ok::<(), Failure>(())
            });
        }
        counters.join_all().await.into_iter().collect()
    }
}
