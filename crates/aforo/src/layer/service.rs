//! A service behind a limiter.

use std::task::{Context, Poll};

use ::http::{Request, Response};
use bytes::Bytes;
use http_body::Body;
use tower_service::Service;

use super::{LimitedBody, LimitedFuture, PeerAddress};
use crate::{Admission, Entered, Limiter, Replayed};

/// A service behind a limiter.
#[derive(Clone)]
pub struct Limited<S> {
    limiter: Limiter,
    inner: S,
}

impl<S> Limited<S> {
    pub(super) const fn new(limiter: Limiter, inner: S) -> Self {
        Self { limiter, inner }
    }
}

impl<S, B, R> Service<Request<B>> for Limited<S>
where
    S: Service<Request<Replayed<B>>, Response = Response<R>> + Clone,
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    R: Body<Data = Bytes>,
{
    type Response = Response<LimitedBody<R>>;
    type Error = S::Error;
    type Future = LimitedFuture<S, B, R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The clone is not ready; the one that is answers this request.
        let clone = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, clone);
        let peer = PeerAddress::of(request.extensions());
        let (mut head, body) = request.into_parts();
        let admission = match self.limiter.enter(&mut head, peer) {
            Entered::Waits(waiting) => return LimitedFuture::waiting(ready, waiting, head, body),
            Entered::Answered(answer) => Admission::Answer(answer),
            Entered::Passes(passage) => {
                let request = Request::from_parts(head, Replayed::untouched(body));
                Admission::Pass(request, passage)
            }
        };
        LimitedFuture::admitted(ready, admission)
    }
}
