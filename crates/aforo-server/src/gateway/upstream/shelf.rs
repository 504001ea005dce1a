//! Connections that wait for their next request.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// The most connections that wait.
const MAX_IDLE: usize = 1024;
/// How many sweeps one outlasts at most.
const MOST_SWEEPS: u32 = 12;

/// Connections that wait for their next request. Their age is counted in sweeps, so that no
/// request looks at a clock.
#[derive(Debug)]
pub(super) struct Shelf<C> {
    idle: RefCell<VecDeque<(C, u32)>>,
    sweeps: Cell<u32>,
}

impl<C> Shelf<C> {
    /// The connection that was used last of those that are `usable`, so that those too many grow
    /// old and go.
    pub(super) fn take(&self, usable: impl Fn(&C) -> bool) -> Option<C> {
        let mut idle = self.idle.borrow_mut();
        while let Some((connection, _)) = idle.pop_back() {
            if usable(&connection) {
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection.
    pub(super) fn keep(&self, connection: C) {
        let mut idle = self.idle.borrow_mut();
        if idle.len() >= MAX_IDLE {
            idle.pop_front();
        }
        idle.push_back((connection, self.sweeps.get()));
    }

    /// Lets those go that are old, or not `usable` any more.
    pub(super) fn sweep(&self, usable: impl Fn(&C) -> bool) {
        let now = self.sweeps.get().wrapping_add(1);
        self.sweeps.set(now);
        let is_young = |since: u32| now.wrapping_sub(since) < MOST_SWEEPS;
        let mut idle = self.idle.borrow_mut();
        idle.retain(|(connection, since)| is_young(*since) && usable(connection));
    }
}

impl<C> Default for Shelf<C> {
    fn default() -> Self {
        Self {
            idle: RefCell::default(),
            sweeps: Cell::new(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_is_used_first_and_those_that_closed_are_passed_over() {
        let shelf = Shelf::default();
        for connection in [1, 2, 3] {
            shelf.keep(connection);
        }
        assert_eq!(shelf.take(|connection| *connection != 3), Some(2));
        assert_eq!(shelf.take(|_| true), Some(1));
        assert_eq!(shelf.take(|_| true), None);
    }

    #[test]
    fn nobody_waits_for_more_than_so_many_sweeps() {
        let shelf = Shelf::default();
        shelf.keep(1);
        for _ in 1..MOST_SWEEPS {
            shelf.sweep(|_| true);
        }
        shelf.keep(2);
        shelf.sweep(|_| true);
        assert_eq!(shelf.take(|_| true), Some(2));
        assert_eq!(shelf.take(|_| true), None);
        shelf.keep(3);
        shelf.sweep(|_| false);
        assert_eq!(shelf.take(|_| true), None, "it closed");
    }

    #[test]
    fn those_too_many_go_oldest_first() {
        let shelf = Shelf::default();
        for connection in 0..=MAX_IDLE {
            shelf.keep(connection);
        }
        assert_eq!(shelf.idle.borrow().len(), MAX_IDLE);
        assert_eq!(shelf.idle.borrow().front().unwrap().0, 1);
    }
}
