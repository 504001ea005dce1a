//! One call as one transaction.

use std::sync::atomic::{AtomicU32, Ordering};

use aforo_core::Timestamp;

use super::failure::Failure;
use super::row::{Key, Name, Row, micros};
use super::session::{Loaded, Session};
use crate::Clock;
use crate::clock::WallClock;
use crate::ledger::{Address, Change, Entry, Ledger};

/// Expired rows that a transaction that creates rows removes at most.
const RECLAIMED: i64 = 8;
/// Now and then a transaction that creates none removes more.
const RARELY: u32 = 32;
const RECLAIMED_RARELY: i64 = 64;

/// What a transaction is about.
pub(super) struct Work<'a> {
    pub(super) addresses: &'a [Address],
    /// The names of counters, where they are known.
    pub(super) names: &'a [Name<'a>],
    /// Whether counters that are not there may come to be.
    pub(super) creates: bool,
    /// A test's clock.
    pub(super) clock: Option<&'a dyn Clock>,
    /// Counts the transactions that wrote.
    pub(super) written: &'a AtomicU32,
}

impl Work<'_> {
    /// In a transaction that has begun: locks, decides, writes and commits. When this fails, nothing was written, unless it was
    /// the commit itself whose answer got lost.
    pub(super) async fn run<S: Session, T: Send>(
        &self,
        session: &mut S,
        decide: &mut (dyn FnMut(&mut Ledger) -> T + Send),
    ) -> Result<T, Failure> {
        let (mut ledger, created) = self.lock(session).await?;
        let answer = decide(&mut ledger);
        if !ledger.is_changed() {
            session.roll_back().await?;
            return Ok(answer);
        }
        self.write(session, &ledger).await?;
        self.reclaim(session, ledger.now(), created).await?;
        session.commit().await?;
        Ok(answer)
    }

    /// Reads without a transaction.
    pub(super) async fn read<S: Session>(&self, session: &mut S) -> Result<Ledger, Failure> {
        let loaded = session.read(&self.keys()).await?;
        self.ledger(&loaded)
    }

    /// The counters, locked, and whether rows were created for it.
    async fn lock<S: Session>(&self, session: &mut S) -> Result<(Ledger, bool), Failure> {
        let keys = self.keys();
        let mut loaded = session.lock(&keys).await?;
        let missing = loaded.rows.len() < keys.len();
        if self.creates && missing {
            // What was locked is let go first: locks are only ever taken in order.
            loaded = self.create(session, &keys, loaded).await?;
        }
        Ok((self.ledger(&loaded)?, missing))
    }

    async fn create<S: Session>(
        &self,
        session: &mut S,
        keys: &[Key],
        loaded: Loaded,
    ) -> Result<Loaded, Failure> {
        let rows = self.addresses.iter();
        let rows: Vec<Row> = rows
            .map(|address| Row::named(*address, self.names))
            .collect();
        if !session.create(&rows).await? {
            return Ok(loaded);
        }
        let loaded = session.lock(keys).await?;
        // Another transaction removed one in between.
        match loaded.rows.len() < keys.len() {
            true => Err(Failure::Conflict),
            false => Ok(loaded),
        }
    }

    /// The database's time, or this machine's where it has none. Read when everything is locked.
    fn now(&self, told: Option<Timestamp>) -> Timestamp {
        match self.clock {
            Some(clock) => clock.now(),
            None => told.unwrap_or_else(|| WallClock.now()),
        }
    }

    fn keys(&self) -> Vec<Key> {
        self.addresses.iter().map(|one| Key::of(*one)).collect()
    }

    fn ledger(&self, loaded: &Loaded) -> Result<Ledger, Failure> {
        let now = self.now(loaded.now);
        let mut entries = Vec::with_capacity(self.addresses.len());
        for row in &loaded.rows {
            entries.extend(row.entry()?);
        }
        let unknown = |address: &&Address| entries.iter().all(|entry| entry.address != **address);
        let empty: Vec<_> = self.addresses.iter().filter(unknown).copied().collect();
        entries.extend(empty.into_iter().map(Entry::empty));
        Ok(Ledger::new(now, entries))
    }

    async fn write<S: Session>(&self, session: &mut S, ledger: &Ledger) -> Result<(), Failure> {
        let rows = Row::of_ledger(ledger, self.names);
        if !rows.is_empty() {
            session.write(&rows).await?;
        }
        let removed = ledger.entries().iter();
        let removed: Vec<Key> = removed
            .filter(|entry| entry.change == Change::Remove)
            .map(|entry| Key::of(entry.address))
            .collect();
        match removed.is_empty() {
            true => Ok(()),
            false => session.remove(&removed).await,
        }
    }

    /// A few expired rows go with each transaction that creates some, so that the table does not
    /// grow; more go now and then, so that it shrinks again.
    async fn reclaim<S: Session>(
        &self,
        session: &mut S,
        now: Timestamp,
        created: bool,
    ) -> Result<(), Failure> {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        let most = match (written % RARELY, created) {
            (0, _) => RECLAIMED_RARELY,
            (_, true) => RECLAIMED,
            (_, false) => return Ok(()),
        };
        session.reclaim(micros(now), most).await
    }
}
