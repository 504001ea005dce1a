//! Redis and Valkey.
//!
//! One script decides a whole batch in one round trip, on the server's clock. The layout of what
//! it keeps and the bounds that hold are told in `docs/redis.md`.

mod address;
mod line;
mod link;
mod numbers;
mod question;
mod reply;
mod script;
mod slots;

use std::fmt;
use std::sync::Arc;

use aforo_core::Charge;
use smallvec::SmallVec;

use self::address::Address;
use self::line::Line;
use self::question::{Heading, Question};
use self::reply::Reply;
use crate::{Answer, Batch, Charged, Clock, OpenError, Receipt, Remote, Store, StoreError};

/// Counters in Redis or Valkey, shared by many instances: one server, one that sentinels name, or
/// a cluster.
///
/// Its address is `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, `rediss://…` with TLS,
/// `unix:///PATH`, `redis-sentinel://HOST,HOST/MASTER` or `redis-cluster://HOST,HOST`; `valkey`
/// is the same as `redis` everywhere. It connects when it is first asked, through one connection
/// that all callers share, on a thread of its own: any executor can wait for its answers.
///
/// ```no_run
/// use aforo_core::HashKey;
/// use aforo_store::{RedisStore, Remote};
/// let secret: HashKey = "000102030405060708090a0b0c0d0e0f".parse()?;
/// let remote = Remote::new("redis://127.0.0.1:6379", secret.fingerprint());
/// let store = RedisStore::open(&remote)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RedisStore {
    line: Line,
    namespace: Arc<str>,
    clock: Option<Arc<dyn Clock>>,
}

impl RedisStore {
    /// Prepares the store at the remote's address; nothing is connected yet.
    ///
    /// # Errors
    /// When the address cannot be understood or no thread can be had.
    pub fn open(remote: &Remote) -> Result<Self, OpenError> {
        let address = Address::parse(&remote.url)?;
        Ok(Self {
            line: Line::new(address, remote)?,
            namespace: Arc::from(remote.namespace.as_str()),
            clock: remote.clock.clone(),
        })
    }

    fn heading(&self, writing: bool) -> Heading {
        Heading {
            writing,
            denied: false,
            now: self.clock.as_ref().map(Clock::now),
        }
    }

    /// Asks about the charges of one slot.
    async fn ask(&self, heading: Heading, charges: &[&Charge<'_>]) -> Result<Reply, StoreError> {
        let mut question = Question::new(heading);
        for charge in charges {
            question.charge(&self.namespace, charge);
        }
        let answer = self.line.ask(&question).await?;
        Reply::read(&answer, charges)
            .ok_or_else(|| StoreError::Unavailable("the script answered nonsense".to_owned()))
    }

    async fn decide(&self, batch: &Batch<'_>, writing: bool) -> Result<Charged, StoreError> {
        let charges: SmallVec<[&Charge<'_>; 4]> = batch.charges().iter().collect();
        let principals = charges.iter().map(|charge| charge.principal.hash);
        let mut receipt = Receipt::of_principals(principals);
        if charges.is_empty() {
            return Ok(Charged {
                taken: true,
                outcomes: SmallVec::new(),
                receipt,
            });
        }
        if self.line.is_cluster() && slots::are_several(&charges) {
            let decided = self.decide_over_slots(&charges, receipt, writing);
            return self.line.within_timeout(decided).await;
        }
        let reply = self.ask(self.heading(writing), &charges).await?;
        let mut outcomes = SmallVec::new();
        for (place, judged) in reply.judged(&charges, reply.taken).enumerate() {
            outcomes.push(judged.outcome);
            if let Some(charge) = charges.get(place)
                && reply.taken
                && writing
                && let Some(line) = judged.line(place, charge)
            {
                receipt.push(line);
            }
        }
        Ok(Charged {
            taken: reply.taken,
            outcomes,
            receipt,
        })
    }

    async fn correct(
        &self,
        receipt: Receipt,
        true_cost: &(dyn Fn(usize) -> u64 + Sync),
    ) -> Result<(), StoreError> {
        let now = self.heading(true);
        for question in self.corrections(now, &receipt, true_cost) {
            self.line.ask(&question).await?;
        }
        Ok(())
    }

    async fn forget(&self, batch: &Batch<'_>) -> Result<(), StoreError> {
        for charges in slots::grouped(batch.charges().iter(), self.line.is_cluster()) {
            let mut question = Question::new(self.heading(true));
            for charge in charges {
                question.reset(&self.namespace, charge);
            }
            self.line.ask(&question).await?;
        }
        Ok(())
    }
}

impl Store for RedisStore {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        Answer::waiting(self.decide(batch, true))
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        Answer::waiting(self.decide(batch, false))
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        Answer::waiting(async move { self.correct(receipt, &|_| 0).await })
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        Answer::waiting(self.correct(receipt, true_cost))
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        Answer::waiting(self.forget(batch))
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
