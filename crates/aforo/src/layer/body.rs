//! The body of a limited service's response.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::AnswerBody;

pin_project! {
    /// The inner service's body, or that of an answer which Aforo gave.
    #[derive(Debug)]
    pub struct LimitedBody<B> {
        #[pin]
        kind: Kind<B>,
    }
}

pin_project! {
    #[project = KindProjected]
    #[derive(Debug)]
    enum Kind<B> {
        Inner { #[pin] body: B },
        Answer { #[pin] body: AnswerBody },
    }
}

impl<B> LimitedBody<B> {
    pub(super) const fn inner(body: B) -> Self {
        Self {
            kind: Kind::Inner { body },
        }
    }

    pub(super) const fn answer(body: AnswerBody) -> Self {
        Self {
            kind: Kind::Answer { body },
        }
    }
}

impl<B> Default for LimitedBody<B> {
    /// An empty body.
    fn default() -> Self {
        Self::answer(AnswerBody::default())
    }
}

impl<B> Body for LimitedBody<B>
where
    B: Body<Data = Bytes>,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.project().kind.project() {
            KindProjected::Inner { body } => body.poll_frame(cx),
            KindProjected::Answer { body } => body
                .poll_frame(cx)
                .map_err(|never: std::convert::Infallible| match never {}),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Inner { body } => body.is_end_stream(),
            Kind::Answer { body } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Inner { body } => body.size_hint(),
            Kind::Answer { body } => body.size_hint(),
        }
    }
}
