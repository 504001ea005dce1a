//! Where the body of an answer ends (RFC 9112 §6.3).

use bytes::{Buf, Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Version};
use http_body::{Frame, SizeHint};

use super::DirectError;
use super::chunks::{Chunks, Piece};

/// Where the body of an answer ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// It has ended.
    Ended,
    /// After so many bytes more, never 0.
    Length(u64),
    /// After the last chunk.
    Chunked(Chunks),
    /// With the connection.
    Close,
}

/// The next step through a body.
#[derive(Debug)]
pub(super) enum Step {
    /// A part of it.
    Frame(Frame<Bytes>),
    /// There is no more of it.
    End,
    /// More bytes have to come first.
    More,
}

impl Framing {
    /// How the answer to `method` is framed. One that says it in two ways, or in a way that we do
    /// not know, is refused: somebody else might read it otherwise.
    pub(super) fn of(method: &Method, response: &Response<()>) -> Result<Self, DirectError> {
        let headers = response.headers();
        let bodyless = matches!(
            response.status(),
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        );
        if *method == Method::HEAD || bodyless || response.status().is_informational() {
            return Ok(Self::Ended);
        }
        // The names tell sooner than a look-up that most answers are not coded.
        let may_be_coded = headers.keys().any(|name| *name == TRANSFER_ENCODING);
        let coding = may_be_coded
            .then(|| headers.get(TRANSFER_ENCODING))
            .flatten();
        match (coding, length(headers)?) {
            (None, Some(0)) => Ok(Self::Ended),
            (None, Some(length)) => Ok(Self::Length(length)),
            (None, None) => Ok(Self::Close),
            (Some(_), Some(_)) => Err(DirectError::Malformed("it has a length and is chunked")),
            (Some(_), None) if response.version() == Version::HTTP_10 => {
                Err(DirectError::Malformed("it is chunked in HTTP/1.0"))
            }
            (Some(coding), None) if is_chunked(coding, headers) => {
                Ok(Self::Chunked(Chunks::default()))
            }
            (Some(_), None) => Err(DirectError::Malformed("its transfer coding is not chunked")),
        }
    }

    /// Takes what comes next from `unread`.
    pub(super) fn next(&mut self, unread: &mut BytesMut) -> Result<Step, DirectError> {
        match self {
            Self::Ended => Ok(Step::End),
            Self::Length(_) | Self::Close if !unread.has_remaining() => Ok(Step::More),
            Self::Close => Ok(data(unread.split())),
            Self::Length(left) => {
                let piece = take(left, unread);
                if *left == 0 {
                    *self = Self::Ended;
                }
                Ok(data(piece))
            }
            Self::Chunked(chunks) => {
                let step = match chunks.next(unread)? {
                    None => return Ok(Step::More),
                    Some(Piece::Data(data)) => return Ok(Step::Frame(Frame::data(data))),
                    Some(Piece::Trailers(trailers)) => Step::Frame(Frame::trailers(trailers)),
                    Some(Piece::End) => Step::End,
                };
                *self = Self::Ended;
                Ok(step)
            }
        }
    }

    /// The connection ended: so does a body that ends with it, and no other.
    pub(super) fn close(&mut self) -> Result<(), DirectError> {
        match self {
            Self::Ended | Self::Close => {
                *self = Self::Ended;
                Ok(())
            }
            Self::Length(_) | Self::Chunked(_) => Err(DirectError::Ended),
        }
    }

    /// Whether the whole body was taken.
    pub(super) const fn has_ended(&self) -> bool {
        matches!(self, Self::Ended)
    }

    /// How much of it is left.
    pub(super) fn size_hint(&self) -> SizeHint {
        match self {
            Self::Ended => SizeHint::with_exact(0),
            Self::Length(left) => SizeHint::with_exact(*left),
            Self::Chunked(_) | Self::Close => SizeHint::new(),
        }
    }
}

/// Takes as many of `left` bytes as are there.
pub(super) fn take(left: &mut u64, unread: &mut BytesMut) -> BytesMut {
    let there = usize::try_from(*left)
        .unwrap_or(usize::MAX)
        .min(unread.len());
    *left = left.saturating_sub(there as u64);
    unread.split_to(there)
}

fn data(piece: BytesMut) -> Step {
    Step::Frame(Frame::data(piece.freeze()))
}

/// The one length; lines that all say the same are one.
fn length(headers: &HeaderMap) -> Result<Option<u64>, DirectError> {
    let mut lines = headers.get_all(CONTENT_LENGTH).iter();
    let Some(first) = lines.next() else {
        return Ok(None);
    };
    match digits(first) {
        Some(length) if lines.all(|line| line == first) => Ok(Some(length)),
        _ => Err(DirectError::Malformed("its length is not one number")),
    }
}

/// Nothing but digits: no sign, no list, no space.
fn digits(line: &HeaderValue) -> Option<u64> {
    let text = line.to_str().ok()?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn is_chunked(coding: &HeaderValue, headers: &HeaderMap) -> bool {
    let is_only_one = headers.get_all(TRANSFER_ENCODING).iter().nth(1).is_none();
    is_only_one && coding.as_bytes().eq_ignore_ascii_case(b"chunked")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, fields: &[(&str, &str)]) -> Response<()> {
        let mut response = Response::builder().status(status);
        for (name, value) in fields {
            response = response.header(*name, *value);
        }
        response.body(()).unwrap()
    }

    fn framing(status: u16, fields: &[(&str, &str)]) -> Option<Framing> {
        Framing::of(&Method::GET, &answer(status, fields)).ok()
    }

    #[test]
    fn a_body_ends_by_length_chunk_or_connection() {
        let length = |length| [("content-length", length)];
        assert_eq!(framing(200, &length("5")), Some(Framing::Length(5)));
        assert_eq!(framing(200, &length("0")), Some(Framing::Ended));
        let chunked = Framing::Chunked(Chunks::default());
        let fields = [("transfer-encoding", "Chunked")];
        assert_eq!(framing(200, &fields), Some(chunked));
        assert_eq!(framing(200, &[]), Some(Framing::Close));
        let twice = [("content-length", "5"), ("content-length", "5")];
        assert_eq!(framing(200, &twice), Some(Framing::Length(5)));
    }

    #[test]
    fn some_answers_have_no_body_whatever_they_say() {
        for status in [204, 304] {
            let fields = [("content-length", "5")];
            assert_eq!(framing(status, &fields), Some(Framing::Ended));
            let fields = [("transfer-encoding", "chunked")];
            assert_eq!(framing(status, &fields), Some(Framing::Ended));
        }
        let response = answer(200, &[("content-length", "5")]);
        let head = Framing::of(&Method::HEAD, &response);
        assert_eq!(head.unwrap(), Framing::Ended);
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        let both = [("content-length", "5"), ("transfer-encoding", "chunked")];
        assert_eq!(framing(200, &both), None);
        let differ = [("content-length", "5"), ("content-length", "6")];
        assert_eq!(framing(200, &differ), None);
        for length in ["", "+5", "-5", "5, 5", "0x5", "5 5", "18446744073709551616"] {
            assert_eq!(
                framing(200, &[("content-length", length)]),
                None,
                "{length}"
            );
        }
        for coding in ["", "gzip", "gzip, chunked", "chunked, identity", "xchunked"] {
            let fields = [("transfer-encoding", coding)];
            assert_eq!(framing(200, &fields), None, "{coding}");
        }
        let twice = [
            ("transfer-encoding", "chunked"),
            ("transfer-encoding", "chunked"),
        ];
        assert_eq!(framing(200, &twice), None);
        let mut old = answer(200, &[("transfer-encoding", "chunked")]);
        *old.version_mut() = Version::HTTP_10;
        assert!(Framing::of(&Method::GET, &old).is_err());
    }

    #[test]
    fn a_length_takes_its_bytes_and_leaves_the_next() {
        let mut framing = Framing::Length(5);
        let mut unread = BytesMut::new();
        assert!(matches!(framing.next(&mut unread), Ok(Step::More)));
        unread.extend_from_slice(b"abc");
        let Ok(Step::Frame(frame)) = framing.next(&mut unread) else {
            panic!("no frame");
        };
        assert_eq!(frame.into_data().unwrap(), "abc");
        assert_eq!(framing, Framing::Length(2));
        assert!(framing.close().is_err());
        unread.extend_from_slice(b"deHTTP");
        assert!(matches!(framing.next(&mut unread), Ok(Step::Frame(_))));
        assert!(framing.has_ended());
        assert_eq!(&unread[..], b"HTTP");
    }

    #[test]
    fn only_a_body_that_ends_with_the_connection_may_end_with_it() {
        let mut framing = Framing::Close;
        assert!(framing.close().is_ok());
        assert!(framing.has_ended());
        assert!(Framing::Chunked(Chunks::default()).close().is_err());
    }
}
