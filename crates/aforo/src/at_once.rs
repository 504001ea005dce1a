//! Futures that are done when they are first asked.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The output of a future that has nothing to wait for; `None` when it has.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_not_there() {
        assert_eq!(at_once(async { 7 }), Some(7));
        assert_eq!(at_once(std::future::pending::<u8>()), None);
    }
}
