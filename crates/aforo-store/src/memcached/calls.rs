//! The calls of a store on one server.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aforo_core::Timestamp;
use tokio::sync::{Mutex, MutexGuard};

use super::client::Client;
use super::failure::Failure;
use super::round::Round;
use super::value::Place;
use crate::clock::WallClock;
use crate::ledger::{Address, Ledger};
use crate::pool::{Held, Pool};
use crate::thread::Thread;
use crate::{Batch, Charged, Clock, OpenError, Receipt, ReceiptLine, Remote, StoreError};

/// Connections of one instance: as many calls are under way at once.
const CONNECTIONS: usize = 4;
/// Queues for calls on the same values: one instance has one call under way for each.
const QUEUES: usize = 64;
/// How often a call is tried that others were in the way of.
const TRIES: u32 = 24;
/// The first few follow at once; then each pause is twice the one before, up to the longest.
const AT_ONCE: u32 = 4;
const PAUSE: Duration = Duration::from_micros(250);
const LONGEST_PAUSE: Duration = Duration::from_millis(8);

/// A server with its connections and queues.
pub(super) struct Calls {
    address: Arc<str>,
    namespace: Arc<str>,
    fingerprint: u64,
    pool: Pool<Client>,
    queues: Box<[Mutex<()>]>,
    thread: Thread,
    timeout: Duration,
    /// This machine's, or set by a test.
    clock: Arc<dyn Clock>,
}

/// True costs by place; none when everything is given back.
type TrueCosts<'a> = Option<&'a (dyn Fn(usize) -> u64 + Sync)>;
type Decide<'d, T> = dyn FnMut(&mut Ledger) -> T + Send + 'd;

impl Calls {
    pub(super) fn new(address: String, remote: &Remote) -> Result<Self, OpenError> {
        let clock = remote.clock.clone();
        Ok(Self {
            address: Arc::from(address),
            namespace: Arc::from(remote.namespace.as_str()),
            fingerprint: remote.fingerprint,
            pool: Pool::new(CONNECTIONS),
            queues: (0..QUEUES).map(|_| Mutex::new(())).collect(),
            thread: Thread::start("aforo-memcached")?,
            timeout: remote.timeout,
            clock: clock.unwrap_or_else(|| Arc::new(WallClock)),
        })
    }

    pub(super) async fn charge(&self, batch: &Batch<'_>) -> Result<Charged, StoreError> {
        let addresses = Address::of_batch(batch);
        let mut charge = |ledger: &mut Ledger| ledger.charge(batch);
        self.within(self.change(&addresses, &mut charge)).await
    }

    pub(super) async fn peek(&self, batch: &Batch<'_>) -> Result<Charged, StoreError> {
        let places = places(&Address::of_batch(batch));
        let ledger = self.within(async {
            let mut held = self.take().await?;
            let round = self.round(&places);
            let read = match round.read(&mut held.connection).await {
                Err(Failure::Broken(_)) if held.used_before => {
                    held = self.take_anew(held).await?;
                    round.read(&mut held.connection).await
                }
                read => read,
            };
            self.conclude(held, read)
        });
        Ok(ledger.await?.ledger.peek(batch))
    }

    /// Corrects the values one by one: nothing ties them together.
    pub(super) async fn settle(
        &self,
        receipt: Receipt,
        true_costs: TrueCosts<'_>,
    ) -> Result<(), StoreError> {
        let addresses = Address::of_receipt(&receipt);
        let settled = async {
            for place in places(&addresses) {
                let here = |line: &&ReceiptLine| Place::of(Address::of_line(line)) == place;
                let lines: Vec<&ReceiptLine> = receipt.lines().iter().filter(here).collect();
                let mut settle = |ledger: &mut Ledger| {
                    for line in &lines {
                        let true_cost = true_costs.map_or(0, |costs| costs(line.place));
                        ledger.correct(line, true_cost);
                    }
                };
                let own: Vec<Address> = lines.iter().map(|line| Address::of_line(line)).collect();
                self.change(&own, &mut settle).await?;
            }
            Ok(())
        };
        self.within(settled).await
    }

    pub(super) async fn reset(&self, batch: &Batch<'_>) -> Result<(), StoreError> {
        let addresses = Address::of_batch(batch);
        let mut reset = |ledger: &mut Ledger| ledger.reset(batch);
        self.within(self.change(&addresses, &mut reset)).await
    }

    /// Reads, decides and writes; again when others wrote in between.
    async fn change<T: Send>(
        &self,
        addresses: &[Address],
        decide: &mut Decide<'_, T>,
    ) -> Result<T, Failure> {
        let places = places(addresses);
        if places.is_empty() {
            return Ok(decide(&mut Ledger::new(Timestamp::EPOCH, Vec::new())));
        }
        let _queued = self.queue(&places).await;
        let mut held = self.take().await?;
        let round = self.round(&places);
        let mut pause = PAUSE;
        for tried in 1..TRIES {
            match round.run(&mut held.connection, decide).await {
                Err(Failure::Conflict) if tried < AT_ONCE => {}
                Err(Failure::Conflict) => {
                    self.thread.pause(pause).await;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
                // The server had closed it: nothing was read, let alone written.
                Err(Failure::Unread(_)) if held.used_before => {
                    held = self.take_anew(held).await?;
                }
                answer => return self.conclude(held, answer),
            }
        }
        let last = round.run(&mut held.connection, decide).await;
        self.conclude(held, last)
    }

    /// Waits for the calls of this instance that are about the same values.
    async fn queue(&self, places: &[Place]) -> Vec<MutexGuard<'_, ()>> {
        let number = |place: &Place| (place.partition.0 as usize) % QUEUES;
        let mut numbers: Vec<usize> = places.iter().map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut queued = Vec::with_capacity(numbers.len());
        for queue in numbers.iter().filter_map(|number| self.queues.get(*number)) {
            queued.push(queue.lock().await);
        }
        queued
    }

    fn conclude<T>(&self, held: Held<Client>, answer: Result<T, Failure>) -> Result<T, Failure> {
        if let Ok(_) | Err(Failure::Conflict | Failure::Store(_)) = &answer {
            held.put_back();
        }
        answer
    }

    fn round<'a>(&'a self, places: &'a [Place]) -> Round<'a> {
        Round {
            places,
            namespace: &self.namespace,
            fingerprint: self.fingerprint,
            clock: &*self.clock,
        }
    }

    async fn take(&self) -> Result<Held<Client>, Failure> {
        let address = Arc::clone(&self.address);
        let connect = async move { Client::connect(&address).await };
        self.pool.take(self.thread.handle(), connect).await
    }

    /// Another connection in the place of one that the server had closed.
    async fn take_anew(&self, closed: Held<Client>) -> Result<Held<Client>, Failure> {
        // The others are no better.
        self.pool.clear();
        drop(closed);
        self.take().await
    }

    async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, StoreError> {
        let answer = self.thread.within(self.timeout, work).await;
        answer.map_or(Err(StoreError::Timeout), |answer| {
            answer.map_err(StoreError::from)
        })
    }
}

/// The values that these counters are in, in order.
fn places(addresses: &[Address]) -> Vec<Place> {
    let mut places: Vec<Place> = addresses.iter().copied().map(Place::of).collect();
    places.sort_unstable();
    places.dedup();
    places
}
