//! One established connection to the servers.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use ::redis::aio::{ConnectionLike, MultiplexedConnection};
use ::redis::cluster::{ClusterClient, ClusterClientBuilder};
use ::redis::cluster_async::ClusterConnection;
use ::redis::sentinel::Sentinel;
use ::redis::{AsyncConnectionConfig, Client, Cmd, RedisError, RedisResult, Value, cmd};
use tokio::runtime::Handle;

use super::address::Address;
use super::script;

/// A connection that all questions of an instance share; they are pipelined.
#[derive(Debug)]
pub(super) struct Link {
    wire: Wire,
    /// Questions in a row that got no answer in time.
    unanswered: AtomicU32,
}

enum Wire {
    Single(MultiplexedConnection),
    Cluster {
        asking: ClusterConnection,
        /// For what must not be asked twice: it gives up where the other one asks again.
        correcting: ClusterConnection,
        /// Its timers run on this connection's thread, whoever waits for them.
        handle: Handle,
    },
}

/// How the servers spell that a question was not executed, or how the connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The server does not know the script (any more): nothing was done.
    ScriptUnknown,
    /// The server may not write (any more): nothing was done.
    NotTheMaster,
    /// The connection ended: what was under way may have been done.
    Broken,
    /// The server answered with an error.
    Refused,
}

/// Questions without an answer after which a connection is given up.
const SILENCE: u32 = 16;
/// A key without end is a key that stays for ever, so the fingerprint ends too; every
/// connection renews it.
const FINGERPRINT_MS: u64 = 400 * 86_400_000;
/// Questions that may wait to be written.
const BUFFERED: usize = 1_024;

impl Link {
    /// Connects.
    pub(super) async fn establish(address: &Address, timeout: Duration) -> RedisResult<Self> {
        choose_cryptography();
        let wire = match address {
            Address::Single(node) => Wire::Single(single(Client::open(node.clone())?).await?),
            Address::Sentinel {
                sentinels,
                master,
                node,
            } => {
                let mut sentinel = Sentinel::build(sentinels.clone())?;
                Wire::Single(single(sentinel.async_master_for(master, Some(node)).await?).await?)
            }
            Address::Cluster(nodes) => {
                let client = |retries| {
                    ClusterClientBuilder::new(nodes.iter().cloned())
                        .retries(retries)
                        .min_retry_wait(5)
                        .max_retry_wait(20)
                        .connection_timeout(timeout.max(Duration::from_millis(200)))
                        .response_timeout(timeout)
                        .build()
                };
                let connect = async |client: ClusterClient| client.get_async_connection().await;
                Wire::Cluster {
                    asking: connect(client(4)?).await?,
                    correcting: connect(client(0)?).await?,
                    handle: Handle::current(),
                }
            }
        };
        Ok(Self {
            wire,
            unanswered: AtomicU32::new(0),
        })
    }

    /// Asks, and hands on what the servers say.
    pub(super) async fn send(&self, command: &Cmd, repeatable: bool) -> RedisResult<Value> {
        let answer = match &self.wire {
            Wire::Single(connection) => connection.clone().req_packed_command(command).await,
            Wire::Cluster {
                asking,
                correcting,
                handle,
            } => {
                let mut connection = if repeatable { asking } else { correcting }.clone();
                let mut answer = pin!(connection.req_packed_command(command));
                poll_fn(|context| {
                    let _entered = handle.enter();
                    answer.as_mut().poll(context)
                })
                .await
            }
        };
        let answer = answer.and_then(Value::extract_error);
        if answer
            .as_ref()
            .err()
            .is_none_or(|error| !error.is_io_error())
        {
            self.unanswered.store(0, Relaxed);
        }
        answer
    }

    /// Teaches the script to every server.
    pub(super) async fn load(&self) -> RedisResult<()> {
        let mut load = cmd("SCRIPT");
        load.arg("LOAD").arg(script::TEXT);
        self.send(&load, true).await.map(|_| ())
    }

    /// Keeps the fingerprint of the hash key, and says whether it is the one that was there.
    pub(super) async fn has_fingerprint(&self, key: &str, fingerprint: &str) -> RedisResult<bool> {
        let mut check = cmd("EVAL");
        check.arg(script::FINGERPRINT).arg(1).arg(key);
        check.arg(fingerprint).arg(FINGERPRINT_MS);
        let held: String = ::redis::from_redis_value(self.send(&check, true).await?)?;
        Ok(held == fingerprint)
    }

    /// Notes that a question got no answer in time; says whether that was one too many.
    pub(super) fn went_silent(&self) -> bool {
        self.unanswered.fetch_add(1, Relaxed) >= SILENCE
    }
}

/// TLS needs to know whose cryptography to use, where nobody has said so in this process.
fn choose_cryptography() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Fails only when somebody else just did the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

async fn single(client: Client) -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(None)
        .set_response_timeout(None)
        .set_pipeline_buffer_size(BUFFERED);
    client
        .get_multiplexed_async_connection_with_config(&config)
        .await
}

impl Trouble {
    pub(super) fn of(error: &RedisError) -> Self {
        match error.code() {
            Some("NOSCRIPT") => Self::ScriptUnknown,
            Some("READONLY" | "MASTERDOWN") => Self::NotTheMaster,
            _ if error.is_unrecoverable_error() || error.is_io_error() => Self::Broken,
            _ => Self::Refused,
        }
    }
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Single(_) => "Single",
            Self::Cluster { .. } => "Cluster",
        })
    }
}
