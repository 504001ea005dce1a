//! A body whose beginning may have been read already.

use std::pin::Pin;
use std::task::{Context, Poll};

use ::http::HeaderMap;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The request's body, byte for byte what came, whether or not it was read for a partition key.
pub struct Replayed<B> {
    read: Option<Bytes>,
    /// In a box, since few bodies have any and a request is moved often.
    trailers: Option<Box<HeaderMap>>,
    rest: B,
}

impl<B> Replayed<B> {
    /// A body that nobody has read.
    pub const fn untouched(rest: B) -> Self {
        Self {
            read: None,
            trailers: None,
            rest,
        }
    }

    /// A body of which `read` and `trailers` were read.
    pub fn replaying(read: Bytes, trailers: Option<HeaderMap>, rest: B) -> Self {
        Self {
            read: Some(read),
            trailers: trailers.map(Box::new),
            rest,
        }
    }
}

impl<B> Body for Replayed<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        match this.read.take().filter(|read| !read.is_empty()) {
            Some(read) => Poll::Ready(Some(Ok(Frame::data(read)))),
            None => match this.trailers.take() {
                Some(trailers) => Poll::Ready(Some(Ok(Frame::trailers(*trailers)))),
                None => Pin::new(&mut this.rest).poll_frame(cx),
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.read.as_ref().is_none_or(Bytes::is_empty)
            && self.trailers.is_none()
            && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.rest.size_hint();
        let read = self.read.as_ref().map_or(0, |read| read.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper.saturating_add(read));
        }
        hint.set_lower(hint.lower().saturating_add(read));
        hint
    }
}
