//! What all connections of a worker share.

use std::cell::RefCell;
use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use aforo::Limiter;
use aforo_policy::Identity;
use tracing::warn;

use super::super::token::Token;
use super::super::worker::Blueprint;
use super::Receipts;
use super::pen::Pen;

/// The most peers that are named in the log.
const MOST_NAMED: usize = 64;

/// What all connections of a worker share.
pub(in crate::decide) struct Desk {
    pub(super) limiter: Limiter,
    pub(super) identity: Arc<Identity>,
    pub(super) token: Option<Token>,
    pub(super) receipts: Arc<Receipts>,
    /// The names that a Host field may say.
    pub(super) hosts: Arc<[String]>,
    /// Whether nobody asks without a token or a certificate, which no web page has.
    pub(super) is_guarded: bool,
    /// How long a body may take to arrive.
    pub(super) body_timeout: Duration,
    pub(super) pen: Pen,
    /// The peers that asked and were not trusted.
    refused: RefCell<HashSet<IpAddr>>,
}

impl Desk {
    pub(in crate::decide) fn new(blueprint: &Blueprint) -> Self {
        Self {
            limiter: blueprint.limiter.clone(),
            identity: Arc::clone(&blueprint.identity),
            token: blueprint.token.clone(),
            receipts: Arc::clone(&blueprint.receipts),
            hosts: Arc::clone(&blueprint.hosts),
            is_guarded: blueprint.guarded_by_certificates || blueprint.token.is_some(),
            body_timeout: blueprint.request_timeout,
            pen: Pen::new(),
            refused: RefCell::default(),
        }
    }

    /// Says once of each peer that it asked for others and is not trusted to.
    pub(super) fn refuses(&self, peer: IpAddr) {
        let mut refused = self.refused.borrow_mut();
        if refused.len() < MOST_NAMED && refused.insert(peer) {
            warn!(
                %peer,
                "a peer outside trusted_proxies asks /forward-auth and gets 403; if it is your \
                 gateway, add it to identity.trusted_proxies"
            );
        }
    }
}
