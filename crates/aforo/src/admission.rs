//! What becomes of a request.

use ::http::{Request, Response};
use bytes::Bytes;
use http_body_util::Full;

use crate::{Passage, Replayed};

/// The body of an answer that Aforo gives by itself.
pub type AnswerBody = Full<Bytes>;

/// What becomes of a request.
#[allow(
    clippy::large_enum_variant,
    reason = "a box would cost every request that passes"
)]
pub enum Admission<B> {
    /// It goes on, with its canonical path; after [`Passage::delay`], if there is one.
    Pass(Request<Replayed<B>>, Passage),
    /// It is answered at once: 429, what `limits_path` shows, or 400, 401, 403, 413, 415, 422, 503.
    Answer(Response<AnswerBody>),
}
