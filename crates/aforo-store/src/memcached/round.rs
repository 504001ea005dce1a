//! One try of a call: values are read, decided on, and written if nobody else wrote them.

use super::client::{Client, Expected, Versioned};
use super::expiry::expiry;
use super::failure::Failure;
use super::value::{self, Place};
use crate::clock::WallClock;
use crate::ledger::{Address, Change, Entry, Ledger, Take};
use crate::{Clock, StoreError};

/// What a try is about.
pub(super) struct Round<'a> {
    /// The values, in order.
    pub(super) places: &'a [Place],
    pub(super) namespace: &'a str,
    pub(super) fingerprint: u64,
    pub(super) clock: &'a dyn Clock,
}

/// What was read.
pub(super) struct Read {
    pub(super) ledger: Ledger,
    /// What each value must still be when it is written.
    expected: Vec<Expected>,
}

/// How often giving back is tried that others were in the way of.
const GIVING_BACK: u32 = 16;

impl Round<'_> {
    /// Reads, decides and writes.
    pub(super) async fn run<T: Send>(
        &self,
        client: &mut Client,
        decide: &mut (dyn FnMut(&mut Ledger) -> T + Send),
    ) -> Result<T, Failure> {
        let read = self.read(client).await;
        let Read {
            mut ledger,
            expected,
        } = read.map_err(Failure::unread)?;
        let answer = decide(&mut ledger);
        for (written, (place, expected)) in self.places.iter().zip(expected).enumerate() {
            let failure = match self.write(client, *place, expected, &ledger).await {
                Ok(true) => continue,
                Ok(false) => Failure::Conflict,
                Err(Failure::Refused(problem)) => Failure::Refused(problem),
                Err(failure) => return Err(failure),
            };
            let before = self.places.get(..written).unwrap_or_default();
            self.give_back(client, before, &ledger).await?;
            return Err(failure);
        }
        Ok(answer)
    }

    /// Reads all values, with the time after.
    pub(super) async fn read(&self, client: &mut Client) -> Result<Read, Failure> {
        let mut keys: Vec<String> = vec![self.fingerprint_key()];
        keys.extend(self.places.iter().map(|place| self.key(*place)));
        let mut values = client.get(&keys).await?.into_iter();
        self.check_fingerprint(client, values.next().flatten())
            .await?;
        let (mut entries, mut expected) = (Vec::new(), Vec::new());
        for (place, versioned) in self.places.iter().zip(values) {
            let Some(versioned) = versioned else {
                expected.push(Expected::Absent);
                continue;
            };
            expected.push(Expected::Cas(versioned.cas));
            match value::read(*place, &versioned.bytes) {
                Ok(found) => entries.extend(found),
                Err(_) => return Err(self.replace(client, *place, versioned.cas).await),
            }
        }
        let ledger = Ledger::new(self.clock.now(), entries);
        Ok(Read { ledger, expected })
    }

    /// Drops a value that cannot be read, so that the next call starts anew.
    async fn replace(&self, client: &mut Client, place: Place, cas: u64) -> Failure {
        match client.delete(&self.key(place), cas).await {
            Ok(_) => Failure::Store(StoreError::Unavailable(
                "a value in Memcached could not be read and was dropped".to_owned(),
            )),
            Err(failure) => failure,
        }
    }

    /// Every call reads the fingerprint, so that it is the last to be evicted, and writes it
    /// where there is none.
    async fn check_fingerprint(
        &self,
        client: &mut Client,
        held: Option<Versioned>,
    ) -> Result<(), Failure> {
        let ours = format!("{:016x}", self.fingerprint);
        if let Some(held) = held {
            return match held.bytes == ours.as_bytes() {
                true => Ok(()),
                false => Err(StoreError::HashKeyDiffers.into()),
            };
        }
        let key = self.fingerprint_key();
        // Another instance may be faster with another one: the next call sees it.
        let absent = Expected::Absent;
        match client.set(&key, ours.as_bytes(), 0, absent).await? {
            true => Ok(()),
            false => Err(Failure::Conflict),
        }
    }

    /// Writes the changed counters of a value; says whether it was as expected.
    async fn write(
        &self,
        client: &mut Client,
        place: Place,
        expected: Expected,
        ledger: &Ledger,
    ) -> Result<bool, Failure> {
        let entries: Vec<Entry> = of(ledger, place).cloned().collect();
        let changed = |entry: &Entry| matches!(entry.change, Change::Write | Change::Remove);
        if !entries.iter().any(changed) {
            return Ok(true);
        }
        let key = self.key(place);
        match (value::write(&entries, ledger.now()), expected) {
            (Some((bytes, kept)), expected) => {
                let expiry = expiry(kept, WallClock.now());
                client.set(&key, &bytes, expiry, expected).await
            }
            (None, Expected::Absent) => Ok(true),
            (None, Expected::Cas(cas)) => client.delete(&key, cas).await,
        }
    }

    /// Gives back what was taken from values that were written before one that could not be.
    async fn give_back(
        &self,
        client: &mut Client,
        places: &[Place],
        written: &Ledger,
    ) -> Result<(), Failure> {
        for place in places {
            let takes: Vec<_> = of(written, *place)
                .filter_map(|entry| Some((entry.address, entry.take?)))
                .collect();
            if !takes.is_empty() {
                self.give_back_one(client, *place, &takes).await?;
            }
        }
        Ok(())
    }

    async fn give_back_one(
        &self,
        client: &mut Client,
        place: Place,
        takes: &[(Address, Take)],
    ) -> Result<(), Failure> {
        let places = [place];
        let alone = Round {
            places: &places,
            ..*self
        };
        for _ in 0..GIVING_BACK {
            let Read {
                mut ledger,
                expected,
            } = alone.read(client).await?;
            for (address, take) in takes {
                ledger.give_back(*address, take, take.taken.cost);
            }
            let expected = expected.first().copied().unwrap_or(Expected::Absent);
            if alone.write(client, place, expected, &ledger).await? {
                return Ok(());
            }
        }
        // It stays taken: fewer pass than could, never more.
        Ok(())
    }

    fn key(&self, place: Place) -> String {
        place.key(self.namespace)
    }

    fn fingerprint_key(&self) -> String {
        format!("{}:hash-key", self.namespace)
    }
}

fn of(ledger: &Ledger, place: Place) -> impl Iterator<Item = &Entry> {
    let here = move |entry: &&Entry| Place::of(entry.address) == place;
    ledger.entries().iter().filter(here)
}
