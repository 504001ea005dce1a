//! Questions under way: requests with the same key ask once.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};

use super::space::Hash;
use super::{Found, LookupError};

/// How many questions may be under way at once.
const MOST_UNDER_WAY: usize = 1_024;

pub(super) type Answer = Result<Option<Arc<Found>>, LookupError>;
pub(super) type Asking = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The questions under way, by key. One lives as long as somebody waits for it.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<Hash, WeakShared<Asking>>>);

/// One who waits.
struct Seat<'f> {
    flights: &'f Flights,
    hash: Hash,
    flight: Option<Shared<Asking>>,
}

impl Flights {
    /// The answer to the question about a key, which `begin` asks when nobody has yet.
    pub(super) async fn answer(&self, hash: &Hash, begin: impl FnOnce() -> Asking) -> Answer {
        let Some(mut seat) = self.seat(hash, begin) else {
            return Err(LookupError::Unavailable(format!(
                "{MOST_UNDER_WAY} questions are under way"
            )));
        };
        match &mut seat.flight {
            Some(flight) => flight.await,
            None => Err(LookupError::Unavailable("nobody asked".to_owned())),
        }
    }

    fn seat(&self, hash: &Hash, begin: impl FnOnce() -> Asking) -> Option<Seat<'_>> {
        let mut flights = self.flights();
        let under_way = flights.get(hash).and_then(WeakShared::upgrade);
        let flight = match under_way {
            Some(flight) => flight,
            None if flights.len() >= MOST_UNDER_WAY => return None,
            None => {
                let flight = begin().shared();
                if let Some(weak) = flight.downgrade() {
                    flights.insert(*hash, weak);
                }
                flight
            }
        };
        Some(Seat {
            flights: self,
            hash: *hash,
            flight: Some(flight),
        })
    }

    fn flights(&self) -> MutexGuard<'_, HashMap<Hash, WeakShared<Asking>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        // Outside the lock: dropping the last one drops the question.
        self.flight = None;
        let mut flights = self.flights.flights();
        let over =
            |weak: &WeakShared<Asking>| weak.upgrade().is_none_or(|one| one.peek().is_some());
        if flights.get(&self.hash).is_some_and(over) {
            flights.remove(&self.hash);
        }
    }
}
