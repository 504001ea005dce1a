//! An answer that may be there already.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::StoreError;

/// What a store answers: at once (memory) or later (across a network). Awaiting an answer that
/// is there already costs nothing.
pub enum Answer<'a, T> {
    /// The answer is here.
    Ready(Option<Result<T, StoreError>>),
    /// The answer is under way.
    Waiting(Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>),
}

impl<T> Answer<'_, T> {
    /// An answer that is here.
    pub const fn ready(value: T) -> Self {
        Self::Ready(Some(Ok(value)))
    }
}

impl<'a, T> Answer<'a, T> {
    /// An answer that is under way.
    pub fn waiting(future: impl Future<Output = Result<T, StoreError>> + Send + 'a) -> Self {
        Self::Waiting(Box::pin(future))
    }
}

impl<T: Unpin> Future for Answer<'_, T> {
    type Output = Result<T, StoreError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Ready(answer) => answer.take().map_or(Poll::Pending, Poll::Ready),
            Self::Waiting(future) => future.as_mut().poll(cx),
        }
    }
}
