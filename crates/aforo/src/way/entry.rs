//! A request that was let in, and what is kept of it until its response.

use std::net::SocketAddr;
use std::sync::Arc;

use ::http::HeaderValue;
use ::http::request::Parts;
use ::http::uri::PathAndQuery;
use aforo_core::Span;
use aforo_policy::{Aftermath, Caller};

use super::door::Door;
use crate::Limiter;
use crate::at_once::at_once;
use crate::taking::{Lines, Receipts};

/// A request, and what is kept of it until its response. Boxed once, since it travels through
/// several futures. Dropped before it is forwarded, it gives its charges back.
pub(crate) struct Entry {
    pub(crate) door: Door,
    pub(crate) caller: Caller,
    /// The policies charged so far: those of the edge, then all.
    pub(crate) lines: Lines,
    /// What it takes to give the charges back.
    pub(crate) receipts: Receipts,
    /// How long it is held.
    pub(crate) delay: Span,
    /// The page that asked, where some may read the answers.
    pub(crate) origin: Option<HeaderValue>,
    /// The path as it was matched, where the request is to go on with that spelling.
    pub(super) spelled: Option<PathAndQuery>,
    /// What its GraphQL operations cost, where the route's cost is theirs.
    pub(super) operations: Option<u64>,
    /// What its response is looked at for.
    pub(crate) aftermath: Option<Box<Aftermath>>,
    /// Whether it is on its way: from here charges are kept.
    pub(crate) forwarded: bool,
}

impl Entry {
    /// A request that came from `peer`.
    pub(super) fn new(limiter: &Limiter, parts: &Parts, peer: Option<SocketAddr>) -> Box<Self> {
        Self::at(Door::of(limiter, parts, peer))
    }

    /// Whoever stands at the door.
    pub(super) fn at(door: Door) -> Box<Self> {
        // Written where it stays: it is large, and most of it is room.
        let room = Box::new_uninit();
        let entry = Self {
            caller: door.stranger(),
            door,
            lines: Lines::new(),
            receipts: Receipts::default(),
            delay: Span::ZERO,
            origin: None,
            spelled: None,
            operations: None,
            aftermath: None,
            forwarded: false,
        };
        Box::write(room, entry)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if self.forwarded || self.receipts.is_empty() {
            return;
        }
        let receipts = std::mem::take(&mut self.receipts);
        let setup = Arc::clone(&self.door.setup);
        let immediate = receipts.all_immediate();
        let giving_back = async move {
            let observer = &*setup.fixed.observer;
            receipts.refund(&setup.stores, observer).await;
        };
        if immediate {
            at_once(giving_back);
        } else {
            #[cfg(feature = "tokio")]
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(giving_back);
            }
        }
    }
}
