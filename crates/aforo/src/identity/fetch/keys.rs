//! Keys that are fetched, kept, and fetched again.

use std::sync::{Arc, Mutex, PoisonError};

use ::http::{StatusCode, Uri};
use aforo_core::{Span, Timestamp};
use aforo_store::Clock;
use arc_swap::ArcSwapOption;

use super::{Client, FetchError};
use crate::identity::LookupError;

/// How long keys are taken for current.
const CURRENT: Span = Span::from_seconds(300);
/// How often they are fetched at most.
const INTERVAL: Span = Span::from_seconds(60);
/// The same while there are none yet.
const FIRST_INTERVAL: Span = Span::from_seconds(5);
/// How long an answer may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// Keys that are fetched. While no answer comes, those from before hold.
pub(crate) struct FetchedKeys<K> {
    client: Client,
    clock: Arc<dyn Clock>,
    keys: ArcSwapOption<K>,
    when: Mutex<When>,
    turn: tokio::sync::Mutex<()>,
}

#[derive(Clone, Copy, Default)]
struct When {
    tried: Option<Timestamp>,
    fetched: Option<Timestamp>,
    failing: bool,
}

impl<K> FetchedKeys<K> {
    /// Keys of which none were fetched yet.
    pub(crate) fn new(uri: &Uri, clock: Arc<dyn Clock>) -> Result<Self, FetchError> {
        Ok(Self {
            client: Client::new(uri, None)?,
            clock,
            keys: ArcSwapOption::empty(),
            when: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        })
    }

    /// The keys that were fetched last.
    pub(crate) fn current(&self) -> Option<Arc<K>> {
        self.keys.load_full()
    }

    /// Whether it is time to fetch them again.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let old = |at: Timestamp| now.since(at) >= CURRENT;
        self.when().fetched.is_none_or(old) && self.may_fetch(now)
    }

    /// Whether they may be fetched again, for a token that names a key they do not have.
    pub(crate) fn may_fetch(&self, now: Timestamp) -> bool {
        let when = self.when();
        let interval = match when.fetched {
            Some(_) => INTERVAL,
            None => FIRST_INTERVAL,
        };
        when.tried.is_none_or(|tried| now.since(tried) >= interval)
    }

    /// Fetches them, unless that was just done. One fetches, others wait for it.
    pub(crate) async fn fetch(&self, read: impl FnOnce(&[u8]) -> Option<K>) {
        let _turn = self.turn.lock().await;
        let now = self.clock.now();
        if !self.may_fetch(now) {
            return;
        }
        self.change(|when| when.tried = Some(now));
        let answer = tokio::time::timeout(PATIENCE, self.client.ask(None)).await;
        let keys = match answer {
            Ok(Ok((StatusCode::OK, text))) => {
                read(&text).ok_or_else(|| LookupError::Misunderstood("it is no JWK set".to_owned()))
            }
            Ok(Ok((status, _))) => Err(LookupError::Unavailable(format!("it answered {status}"))),
            Ok(Err(error)) => Err(error),
            Err(_elapsed) => Err(LookupError::Timeout),
        };
        match keys {
            Ok(keys) => {
                self.keys.store(Some(Arc::new(keys)));
                self.change(|when| {
                    when.fetched = Some(now);
                    when.failing = false;
                });
            }
            Err(error) => {
                if !self.when().failing {
                    tracing::warn!(%error, "the keys of tokens cannot be fetched; those from before hold");
                }
                self.change(|when| when.failing = true);
            }
        }
    }

    fn when(&self) -> When {
        *self.when.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut When)) {
        change(&mut self.when.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
