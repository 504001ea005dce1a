//! The calls of a store on one database.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use aforo_core::Timestamp;

use super::failure::Failure;
use super::row::Name;
use super::session::{Database, Session};
use super::transaction::Work;
use crate::ledger::{Address, Ledger};
use crate::pool::{Held, Pool};
use crate::thread::Thread;
use crate::{Batch, Charged, Clock, OpenError, Receipt, Remote, StoreError};

/// How often a transaction that others were in the way of is tried.
const TRIES: u32 = 8;
/// The wait before it is tried again, doubled each time.
const PAUSE: Duration = Duration::from_millis(1);

/// A database with its connections and its time.
pub(super) struct Calls<D: Database> {
    database: D,
    pool: Pool<D::Session>,
    thread: Thread,
    timeout: Duration,
    /// Set by a test.
    clock: Option<Arc<dyn Clock>>,
    written: AtomicU32,
}

/// True costs by place; none when everything is given back.
type TrueCosts<'a> = Option<&'a (dyn Fn(usize) -> u64 + Sync)>;
type Decide<'d, T> = dyn FnMut(&mut Ledger) -> T + Send + 'd;

impl<D: Database> Calls<D> {
    pub(super) fn new(database: D, connections: usize, remote: &Remote) -> Result<Self, OpenError> {
        Ok(Self {
            database,
            pool: Pool::new(connections),
            thread: Thread::start("aforo-sql")?,
            timeout: remote.timeout,
            clock: remote.clock.clone(),
            written: AtomicU32::new(0),
        })
    }

    pub(super) async fn charge(&self, batch: &Batch<'_>) -> Result<Charged, StoreError> {
        let addresses = Address::of_batch(batch);
        let names = Name::of_batch(batch);
        let mut charge = |ledger: &mut Ledger| ledger.charge(batch);
        self.change(&addresses, &names, true, &mut charge).await
    }

    pub(super) async fn settle(
        &self,
        receipt: Receipt,
        true_costs: TrueCosts<'_>,
    ) -> Result<(), StoreError> {
        let addresses = Address::of_receipt(&receipt);
        let mut settle = |ledger: &mut Ledger| {
            for line in receipt.lines() {
                let true_cost = true_costs.map_or(0, |costs| costs(line.place));
                ledger.correct(line, true_cost);
            }
        };
        let creates = true_costs.is_some();
        self.change(&addresses, &[], creates, &mut settle).await
    }

    pub(super) async fn reset(&self, batch: &Batch<'_>) -> Result<(), StoreError> {
        let addresses = Address::of_batch(batch);
        let mut reset = |ledger: &mut Ledger| ledger.reset(batch);
        self.change(&addresses, &[], false, &mut reset).await
    }

    pub(super) async fn peek(&self, batch: &Batch<'_>) -> Result<Charged, StoreError> {
        let addresses = Address::of_batch(batch);
        if addresses.is_empty() {
            return Ok(Ledger::new(Timestamp::EPOCH, Vec::new()).peek(batch));
        }
        let ledger = self.within(async {
            let mut failed = false;
            loop {
                let mut held = self.take().await?;
                let work = self.work(&addresses, &[], false);
                match work.read(&mut held.connection).await {
                    Ok(ledger) => {
                        held.put_back();
                        return Ok(ledger);
                    }
                    Err(Failure::Broken(_)) if held.used_before && !failed => failed = true,
                    Err(failure) => return Err(failure.into()),
                }
                self.pool.clear();
            }
        });
        Ok(ledger.await?.peek(batch))
    }

    /// Runs a transaction, again when others were in the way.
    async fn change<T: Send>(
        &self,
        addresses: &[Address],
        names: &[Name<'_>],
        creates: bool,
        decide: &mut Decide<'_, T>,
    ) -> Result<T, StoreError> {
        if addresses.is_empty() {
            return Ok(decide(&mut Ledger::new(Timestamp::EPOCH, Vec::new())));
        }
        self.within(async {
            let mut pause = PAUSE;
            for _ in 1..TRIES {
                match self.attempt(addresses, names, creates, decide).await {
                    Err(Failure::Conflict) => self.thread.pause(pause).await,
                    answer => return answer.map_err(StoreError::from),
                }
                pause = pause.saturating_mul(2);
            }
            let last = self.attempt(addresses, names, creates, decide).await;
            last.map_err(StoreError::from)
        })
        .await
    }

    /// One transaction on one connection; on another one when the server had closed it.
    async fn attempt<T: Send>(
        &self,
        addresses: &[Address],
        names: &[Name<'_>],
        creates: bool,
        decide: &mut Decide<'_, T>,
    ) -> Result<T, Failure> {
        let work = self.work(addresses, names, creates);
        let mut held = self.take().await?;
        let mut begun = held.connection.begin().await;
        if let (Err(Failure::Broken(_)), true) = (&begun, held.used_before) {
            // Nothing was done yet. The other connections are no better.
            self.pool.clear();
            drop(held);
            held = self.take().await?;
            begun = held.connection.begin().await;
        }
        let answer = match begun {
            Ok(()) => work.run(&mut held.connection, decide).await,
            Err(failure) => Err(failure),
        };
        self.conclude(held, answer).await
    }

    /// Keeps the connection if it can be used again.
    async fn conclude<T>(
        &self,
        mut held: Held<D::Session>,
        answer: Result<T, Failure>,
    ) -> Result<T, Failure> {
        match &answer {
            Ok(_) => held.put_back(),
            Err(Failure::Conflict) => {
                if held.connection.roll_back().await.is_ok() {
                    held.put_back();
                }
            }
            Err(_) => drop(held),
        }
        answer
    }

    fn work<'a>(
        &'a self,
        addresses: &'a [Address],
        names: &'a [Name<'a>],
        creates: bool,
    ) -> Work<'a> {
        Work {
            addresses,
            names,
            creates,
            clock: self.clock.as_deref(),
            written: &self.written,
        }
    }

    async fn take(&self) -> Result<Held<D::Session>, Failure> {
        let connect = self.database.connect();
        self.pool.take(self.thread.handle(), connect).await
    }

    async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let answer = self.thread.within(self.timeout, work).await;
        answer.unwrap_or(Err(StoreError::Timeout))
    }
}
