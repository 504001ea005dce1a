//! How many connections a listener may have.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The connections of a listener, over all workers. Whoever asks is another gateway or program with
/// many connections by nature, so they are not counted by address.
#[derive(Debug)]
pub(super) struct Seats {
    most: usize,
    taken: AtomicUsize,
}

/// A connection's seat, free again when it is dropped.
#[derive(Debug)]
pub(super) struct Seat(Arc<Seats>);

impl Seats {
    pub(super) fn new(most: usize) -> Arc<Self> {
        let taken = AtomicUsize::new(0);
        Arc::new(Self { most, taken })
    }

    /// A seat, if one is free.
    pub(super) fn take(self: &Arc<Self>) -> Option<Seat> {
        if self.taken.fetch_add(1, Relaxed) < self.most {
            return Some(Seat(Arc::clone(self)));
        }
        self.taken.fetch_sub(1, Relaxed);
        None
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_free_again_when_its_holder_has_left() {
        let seats = Seats::new(2);
        let first = seats.take().unwrap();
        let _second = seats.take().unwrap();
        assert!(seats.take().is_none());
        drop(first);
        assert!(seats.take().is_some());
    }
}
