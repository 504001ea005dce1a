//! What all connections of a worker share.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use aforo::Limiter;
use tokio::sync::watch;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tracing::warn;

use super::super::token::Token;
use super::super::worker::Blueprint;
use super::quotas::Quotas;
use super::reflection::Reflection;

/// The service's name.
pub(super) const SERVICE: &str = "envoy.service.ratelimit.v3.RateLimitService";

/// What all connections of a worker share.
pub(in crate::decide) struct Desk {
    pub(super) limiter: Limiter,
    pub(super) token: Option<Token>,
    pub(super) quotas: Quotas,
    pub(super) health: HealthReporter,
    pub(super) reflection: Option<Reflection>,
    pub(super) idle_timeout: Duration,
    pub(super) request_timeout: Duration,
    /// Whether connections are to end.
    pub(super) ending: watch::Sender<bool>,
    was_ready: Cell<Option<bool>>,
    unknown: RefCell<Option<String>>,
}

impl Desk {
    pub(in crate::decide) fn new(blueprint: &Blueprint) -> Self {
        Self {
            limiter: blueprint.limiter.clone(),
            token: blueprint.token.clone(),
            quotas: Quotas::default(),
            health: HealthReporter::new(),
            reflection: Reflection::new(),
            idle_timeout: blueprint.idle_timeout,
            request_timeout: blueprint.request_timeout,
            ending: watch::Sender::new(false),
            was_ready: Cell::new(None),
            unknown: RefCell::default(),
        }
    }

    /// Time has passed: says whether this instance counts as the others do.
    pub(in crate::decide) async fn look(&self) {
        let is_ready = self.limiter.is_ready() && !*self.ending.borrow();
        if self.was_ready.replace(Some(is_ready)) == Some(is_ready) {
            return;
        }
        let status = if is_ready {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        };
        for name in ["", SERVICE] {
            self.health.set_service_status(name, status).await;
        }
    }

    /// Open questions may be answered; no connection takes more.
    pub(in crate::decide) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Tells once that nothing counts the requests of a domain.
    pub(super) fn tell_of_unknown(&self, domain: &str) {
        let mut told = self.unknown.borrow_mut();
        if told.is_none() {
            warn!(
                domain,
                "nothing is counted: no [[descriptors]] has this domain, and the file has no plans"
            );
            *told = Some(domain.to_owned());
        }
    }
}
