//! Futures that are ready when they are first asked, without a runtime.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::Failure;

/// What the future answers at once.
///
/// # Errors
/// When it would have to be waited for.
#[inline]
pub fn at_once<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err("the memory store did not answer at once".into()),
    }
}
