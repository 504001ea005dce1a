//! What stands behind the gateway: each worker has its own view of it, so that no request waits
//! for a lock.

mod balancer;
mod body;
mod connector;
mod direct;
mod health;
mod lease;
mod pool;
mod shelf;
mod target;

use std::cell::Cell;
use std::rc::Rc;

use health::Health;
use pool::Pool;

pub(super) use balancer::{Balancer, Tried};
pub(super) use body::{BodyError, UpstreamBody};
pub(super) use lease::{Lease, SendError, Way};
pub(crate) use target::TargetError;
pub(super) use target::{Protocol, Target};

/// One upstream as a worker sees it.
pub(super) struct Upstream {
    target: Target,
    health: Health,
    pool: Pool,
    outstanding: Cell<usize>,
}

impl Upstream {
    pub(super) fn new(target: Target, connect_timeout: std::time::Duration) -> Rc<Self> {
        Rc::new(Self {
            pool: Pool::new(connect_timeout),
            target,
            health: Health::default(),
            outstanding: Cell::new(0),
        })
    }

    pub(super) const fn target(&self) -> &Target {
        &self.target
    }

    pub(super) const fn health(&self) -> &Health {
        &self.health
    }
}
