//! What connections are doing and since when, so that none is kept that is idle or slow for too
//! long. A request notes a number; one timer per worker looks.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::AbortHandle;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Nothing.
    Idle,
    /// It has begun a question and not ended it.
    Sending,
    /// It waits for an answer.
    Waiting,
    /// It does not read its answers.
    Stalled,
}

/// What one connection is doing, and since which tick.
#[derive(Debug)]
pub(super) struct Pulse {
    doing: Cell<Doing>,
    since: Cell<u32>,
    now: Rc<Cell<u32>>,
}

/// The connections of a worker.
#[derive(Debug)]
pub(super) struct Pulses {
    open: RefCell<HashMap<u64, (Rc<Pulse>, AbortHandle)>>,
    next: Cell<u64>,
    now: Rc<Cell<u32>>,
    tick: Duration,
    idle: u32,
    slow: u32,
}

impl Pulse {
    /// It does something else now, or has begun it anew.
    pub(super) fn set(&self, doing: Doing) {
        self.doing.set(doing);
        self.since.set(self.now.get());
    }

    /// It does this, unless it did so before.
    pub(super) fn keep(&self, doing: Doing) {
        if self.doing.get() != doing {
            self.set(doing);
        }
    }

    /// What it does.
    pub(super) const fn doing(&self) -> Doing {
        self.doing.get()
    }
}

impl Pulses {
    /// For connections that may be idle or slow for so long.
    pub(super) fn new(idle: Duration, slow: Duration) -> Self {
        let shortest = idle.min(slow);
        let tick = shortest
            .checked_div(8)
            .unwrap_or(shortest)
            .clamp(Duration::from_millis(10), Duration::from_secs(1));
        let ticks = |span: Duration| {
            let ticks = span.as_millis().div_ceil(tick.as_millis().max(1));
            u32::try_from(ticks).unwrap_or(u32::MAX)
        };
        Self {
            open: RefCell::default(),
            next: Cell::new(0),
            now: Rc::default(),
            tick,
            idle: ticks(idle),
            slow: ticks(slow),
        }
    }

    /// How often to look.
    pub(super) const fn tick(&self) -> Duration {
        self.tick
    }

    /// A new connection: it has yet to say something.
    pub(super) fn pulse(&self) -> Rc<Pulse> {
        Rc::new(Pulse {
            doing: Cell::new(Doing::Sending),
            since: Cell::new(self.now.get()),
            now: Rc::clone(&self.now),
        })
    }

    /// Remembers the connection that a task serves.
    pub(super) fn remember(&self, pulse: Rc<Pulse>, task: AbortHandle) {
        let id = self.next.get();
        self.next.set(id.wrapping_add(1));
        self.open.borrow_mut().insert(id, (pulse, task));
    }

    /// Time has passed: ends what has been idle or slow for too long, forgets what has ended.
    pub(super) fn look(&self) {
        self.now.set(self.now.get().wrapping_add(1));
        self.open.borrow_mut().retain(|_, (pulse, task)| {
            let passed = self.now.get().wrapping_sub(pulse.since.get());
            let most = match pulse.doing() {
                Doing::Idle | Doing::Stalled => self.idle,
                Doing::Sending => self.slow,
                Doing::Waiting => u32::MAX,
            };
            // A tick may have passed right after it began.
            if passed > most {
                task.abort();
            }
            !task.is_finished()
        });
    }

    /// Ends all that wait for no answer; how many are left.
    pub(super) fn end_idle(&self) -> usize {
        let mut open = self.open.borrow_mut();
        open.retain(|_, (pulse, task)| {
            if pulse.doing() != Doing::Waiting {
                task.abort();
            }
            !task.is_finished()
        });
        let waits = |(pulse, _): &&(Rc<Pulse>, AbortHandle)| pulse.doing() == Doing::Waiting;
        open.values().filter(waits).count()
    }
}
