//! Deadlines for requests, without a new timer for each.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// Timers that were used and wait to be used again: moving a registered timer to a later time is
/// one atomic operation, where a new one takes the timer wheel's lock twice.
#[derive(Default)]
pub(super) struct Deadlines {
    unused: RefCell<Vec<Pin<Box<Sleep>>>>,
}

/// The most timers that are kept.
const MAX_UNUSED: usize = 4096;

impl Deadlines {
    /// What `future` gives; `None` when it takes longer than `limit`.
    pub(super) async fn within<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut timer = None;
        let output = poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            let timer = timer.get_or_insert_with(|| self.take(limit));
            timer.as_mut().poll(cx).map(|()| None)
        })
        .await;
        if let Some(timer) = timer {
            self.put(timer);
        }
        output
    }

    fn take(&self, limit: Duration) -> Pin<Box<Sleep>> {
        let unused = self.unused.borrow_mut().pop();
        match (unused, Instant::now().checked_add(limit)) {
            (Some(mut timer), Some(deadline)) => {
                timer.as_mut().reset(deadline);
                timer
            }
            _ => Box::pin(sleep(limit)),
        }
    }

    fn put(&self, timer: Pin<Box<Sleep>>) {
        let mut unused = self.unused.borrow_mut();
        if unused.len() < MAX_UNUSED {
            unused.push(timer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_timer_is_used_again_for_the_next_deadline() {
        let (deadlines, second) = (Deadlines::default(), Duration::from_secs(1));
        let late = deadlines.within(second, sleep(second * 2)).await;
        assert_eq!(late, None);
        assert_eq!(deadlines.unused.borrow().len(), 1);
        let in_time = deadlines.within(second * 3, sleep(second * 2)).await;
        assert_eq!(in_time, Some(()));
        let late_again = deadlines.within(second, sleep(second * 2)).await;
        assert_eq!(late_again, None);
        assert_eq!(deadlines.unused.borrow().len(), 1);
    }

    #[tokio::test]
    async fn what_is_ready_at_once_takes_no_timer() {
        let deadlines = Deadlines::default();
        let now = deadlines.within(Duration::ZERO, async { 7 }).await;
        assert_eq!(now, Some(7));
        assert!(deadlines.unused.borrow().is_empty());
    }
}
