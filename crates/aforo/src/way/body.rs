//! Reading a body for partition keys.

use std::future::poll_fn;
use std::pin::Pin;

use ::http::HeaderMap;
use bytes::{Bytes, BytesMut};
use http_body::Body;

use crate::Replayed;

/// A body that was read to its end.
pub(super) struct Read<B> {
    pub(super) bytes: Bytes,
    trailers: Option<HeaderMap>,
    rest: B,
}

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// It is larger than what is read.
    TooLarge,
    /// It broke off.
    Broken,
}

impl<B> Read<B> {
    /// The body as it came.
    pub(super) fn replayed(self) -> Replayed<B> {
        Replayed::replaying(self.bytes, self.trailers, self.rest)
    }
}

/// Reads a body to its end, at most `most` bytes.
pub(super) async fn read<B>(mut body: B, most: usize) -> Result<Read<B>, BodyError>
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.size_hint().lower() > most as u64 {
        return Err(BodyError::TooLarge);
    }
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    let mut trailers = None;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|_| BodyError::Broken)?;
        let frame = match frame.into_data() {
            Ok(data) => {
                let so_far = first.len().saturating_add(joined.len());
                if so_far.saturating_add(data.len()) > most {
                    return Err(BodyError::TooLarge);
                }
                if first.is_empty() && joined.is_empty() {
                    first = data;
                } else {
                    joined.extend_from_slice(&std::mem::take(&mut first));
                    joined.extend_from_slice(&data);
                }
                continue;
            }
            Err(frame) => frame,
        };
        if let Ok(fields) = frame.into_trailers() {
            trailers = Some(fields);
        }
    }
    let bytes = if joined.is_empty() {
        first
    } else {
        joined.freeze()
    };
    Ok(Read {
        bytes,
        trailers,
        rest: body,
    })
}
