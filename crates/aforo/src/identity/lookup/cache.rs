//! What was said of API keys, as long as it holds.

use std::sync::Arc;

use aforo_core::Timestamp;
use aforo_policy::{Consumer, Lookups};

use super::directory::View;
use super::space::{Hash, Space};
use super::{Found, resolve};
use crate::identity::marks::Marks;

/// What was said of API keys, as long as it holds. Keys that are nobody's have a space of their own.
pub(super) struct Cache {
    known: Space<Entry>,
    /// Until when each is known to be nobody's.
    unknown: Space<Timestamp>,
}

/// A consumer behind a key.
struct Entry {
    found: Arc<Found>,
    api_key: Option<Arc<str>>,
    fresh_until: Timestamp,
    stale_until: Timestamp,
    /// The consumer as a file makes it, and which file.
    consumer: Option<(u64, Arc<Consumer>)>,
}

/// Whose a key is.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) consumer: Arc<Consumer>,
    /// What the key is called where it may be seen.
    pub(crate) api_key: Option<Arc<str>>,
}

/// What is known of a key without asking.
pub(crate) enum Remembered {
    Known(Owner),
    Nobody,
    /// It was somebody's a while ago.
    Stale,
    Never,
}

impl Cache {
    pub(super) fn new(settings: &Lookups) -> Self {
        Self {
            known: Space::new(settings.max_known),
            unknown: Space::new(settings.max_unknown),
        }
    }

    pub(super) fn remembered(&self, hash: &Hash, view: &View<'_>, told: &Marks) -> Remembered {
        let now = view.now;
        let read = |entry: &mut Entry| {
            if now < entry.fresh_until {
                Remembered::Known(entry.owner(view, told))
            } else if now < entry.stale_until {
                Remembered::Stale
            } else {
                Remembered::Never
            }
        };
        if let Some(remembered) = self.known.read(hash, now, read) {
            return remembered;
        }
        match self.unknown.read(hash, now, |until| now < *until) {
            Some(true) => Remembered::Nobody,
            Some(false) | None => Remembered::Never,
        }
    }

    /// Whose the key was, while no answer comes.
    pub(super) fn stale(&self, hash: &Hash, view: &View<'_>, told: &Marks) -> Option<Owner> {
        let read =
            |entry: &mut Entry| (view.now < entry.stale_until).then(|| entry.owner(view, told));
        self.known.read(hash, view.now, read)?
    }

    /// Remembers an answer.
    pub(super) fn remember(
        &self,
        hash: &Hash,
        found: Option<&Arc<Found>>,
        now: Timestamp,
        settings: &Lookups,
    ) {
        let Some(found) = found else {
            self.known.remove(hash);
            let until = now.plus(settings.cache_unknown);
            self.unknown.put(hash, now, until);
            return;
        };
        let at_most = |until: Timestamp| found.expires.map_or(until, |end| end.min(until));
        let fresh_until = now.plus(settings.cache);
        let entry = Entry {
            found: Arc::clone(found),
            api_key: found.key.as_deref().map(Arc::from),
            fresh_until: at_most(fresh_until),
            stale_until: at_most(fresh_until.plus(settings.stale)),
            consumer: None,
        };
        self.unknown.remove(hash);
        self.known.put(hash, now, entry);
    }
}

impl Entry {
    fn owner(&mut self, view: &View<'_>, told: &Marks) -> Owner {
        let consumer = match &self.consumer {
            Some((generation, consumer)) if *generation == view.generation => Arc::clone(consumer),
            _ => {
                let consumer = resolve::consumer(&self.found, view.settings, told);
                self.consumer = Some((view.generation, Arc::clone(&consumer)));
                consumer
            }
        };
        Owner {
            consumer,
            api_key: self.api_key.clone(),
        }
    }
}
