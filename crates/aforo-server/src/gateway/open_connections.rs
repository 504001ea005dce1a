//! A worker's open connections, to tell all of them that it drains.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::task::Waker;

/// A worker's open connections.
#[derive(Debug, Default)]
pub(super) struct OpenConnections {
    wakers: Rc<RefCell<HashMap<u64, Waker>>>,
    next: Cell<u64>,
}

/// A connection among the open ones, until it is dropped.
#[derive(Debug)]
pub(super) struct Registration {
    wakers: Rc<RefCell<HashMap<u64, Waker>>>,
    id: u64,
}

impl OpenConnections {
    /// Remembers a connection by the waker of its task.
    pub(super) fn register(&self, waker: Waker) -> Registration {
        let id = self.next.get();
        self.next.set(id.wrapping_add(1));
        self.wakers.borrow_mut().insert(id, waker);
        Registration {
            wakers: Rc::clone(&self.wakers),
            id,
        }
    }

    /// Makes all of them look at what has changed.
    pub(super) fn wake(&self) {
        for waker in self.wakers.borrow().values() {
            waker.wake_by_ref();
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.wakers.borrow_mut().remove(&self.id);
    }
}
