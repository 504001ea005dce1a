//! A bug in one request ends that request, not the worker.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

pin_project! {
    /// Gives what its future gives, or `None` when that panics.
    pub(super) struct CatchPanic<F> {
        #[pin]
        future: F,
    }
}

/// Guards `future`.
pub(super) const fn catch_panic<F: Future>(future: F) -> CatchPanic<F> {
    CatchPanic { future }
}

impl<F: Future> Future for CatchPanic<F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
            Ok(polled) => polled.map(Some),
            Err(_payload) => Poll::Ready(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_none() {
        assert_eq!(catch_panic(async { 1 }).await, Some(1));
        let broken = catch_panic(async { panic!("on purpose") });
        assert_eq!(broken.await, None::<()>);
    }
}
