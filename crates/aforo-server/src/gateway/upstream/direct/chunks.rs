//! Chunked bodies (RFC 9112 §7.1).

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue};
use httparse::{EMPTY_HEADER, Status};

use super::DirectError;
use super::framing::take;
use super::response_head::length_of_head;

/// The longest line before a chunk: a size, and extensions that nobody uses.
const LONGEST_LINE: usize = 1024;
/// The most bytes of trailers.
const MOST_TRAILERS: usize = 16 * 1024;
/// The most trailers.
const MOST_FIELDS: usize = 64;

/// The way through a chunked body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Chunks {
    /// Before the size of a chunk.
    #[default]
    Size,
    /// In a chunk, with so many bytes left, never 0.
    Data(u64),
    /// Before the line end after a chunk.
    DataEnd,
    /// After the last chunk.
    Last,
}

/// What a chunked body consists of.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Data(Bytes),
    /// Ends it.
    Trailers(HeaderMap),
    End,
}

impl Chunks {
    /// Takes what comes next from `unread`; `None`: more bytes have to come first.
    pub(super) fn next(&mut self, unread: &mut BytesMut) -> Result<Option<Piece>, DirectError> {
        loop {
            match self {
                Self::Size => match size(unread)? {
                    None => return Ok(None),
                    Some(0) => *self = Self::Last,
                    Some(size) => *self = Self::Data(size),
                },
                Self::Data(_) if unread.is_empty() => return Ok(None),
                Self::Data(left) => {
                    let data = take(left, unread).freeze();
                    if *left == 0 {
                        *self = Self::DataEnd;
                    }
                    return Ok(Some(Piece::Data(data)));
                }
                Self::DataEnd => match line_end(unread)? {
                    true => *self = Self::Size,
                    false => return Ok(None),
                },
                Self::Last => return last(unread),
            }
        }
    }
}

/// The size before a chunk.
fn size(unread: &mut BytesMut) -> Result<Option<u64>, DirectError> {
    let Some(end) = memchr::memchr(b'\n', unread) else {
        return match unread.len() > LONGEST_LINE {
            true => Err(DirectError::Malformed(
                "the line before a chunk is too long",
            )),
            false => Ok(None),
        };
    };
    let line = unread.get(..end).and_then(|line| line.strip_suffix(b"\r"));
    let size = line.and_then(size_in).ok_or(DirectError::Malformed(
        "the line before a chunk has no valid size",
    ))?;
    unread.advance(end.saturating_add(1));
    Ok(Some(size))
}

/// At most 15 digits, so that no size overflows; extensions are passed over.
fn size_in(line: &[u8]) -> Option<u64> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit());
    let (digits, rest) = line.split_at_checked(digits.count())?;
    let is_extension = rest.trim_ascii_start().first().is_none_or(|b| *b == b';');
    let is_clean = rest
        .iter()
        .all(|b| *b == b'\t' || (*b >= b' ' && *b != 127));
    if !is_extension || !is_clean || digits.len() > 15 {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Whether the line end after a chunk has come.
fn line_end(unread: &mut BytesMut) -> Result<bool, DirectError> {
    match unread.get(..2) {
        Some(b"\r\n") => {
            unread.advance(2);
            Ok(true)
        }
        None if b"\r\n".starts_with(unread) => Ok(false),
        _ => Err(DirectError::Malformed("a chunk is longer than it says")),
    }
}

/// The end of the body, with trailers or without.
fn last(unread: &mut BytesMut) -> Result<Option<Piece>, DirectError> {
    if unread.starts_with(b"\r\n") {
        unread.advance(2);
        return Ok(Some(Piece::End));
    }
    let Some(length) = length_of_head(unread, 0) else {
        return match unread.len() > MOST_TRAILERS {
            true => Err(DirectError::Malformed("its trailers are too long")),
            false => Ok(None),
        };
    };
    let trailers = trailers(&unread.split_to(length).freeze())?;
    Ok(Some(Piece::Trailers(trailers)))
}

fn trailers(bytes: &Bytes) -> Result<HeaderMap, DirectError> {
    let malformed = DirectError::Malformed("its trailers are not valid");
    let mut fields = [EMPTY_HEADER; MOST_FIELDS];
    let Ok(Status::Complete((length, fields))) = httparse::parse_headers(bytes, &mut fields) else {
        return Err(malformed);
    };
    let mut trailers = HeaderMap::with_capacity(fields.len());
    for field in fields {
        let name = HeaderName::from_bytes(field.name.as_bytes());
        let value = HeaderValue::from_maybe_shared(bytes.slice_ref(field.value));
        match (name, value) {
            (Ok(name), Ok(value)) => trailers.append(name, value),
            _ => return Err(malformed),
        };
    }
    match length == bytes.len() {
        true => Ok(trailers),
        false => Err(malformed),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a body holds that comes in pieces cut at `cuts`: data, trailers, what is left.
    fn read(bytes: &[u8], cuts: &[usize]) -> Result<(Vec<u8>, HeaderMap, Vec<u8>), String> {
        let (mut chunks, mut unread) = (Chunks::default(), BytesMut::new());
        let (mut data, mut at) = (Vec::new(), 0);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| (*cut).min(bytes.len())).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        for cut in cuts {
            unread.extend_from_slice(&bytes[at..cut]);
            at = cut;
            loop {
                let trailers = match chunks.next(&mut unread).map_err(|e| e.to_string())? {
                    None => break,
                    Some(Piece::Data(more)) => {
                        assert!(!more.is_empty());
                        data.extend_from_slice(&more);
                        continue;
                    }
                    Some(Piece::Trailers(trailers)) => trailers,
                    Some(Piece::End) => HeaderMap::new(),
                };
                unread.extend_from_slice(&bytes[at..]);
                return Ok((data, trailers, unread.to_vec()));
            }
        }
        Err("more is needed".to_owned())
    }

    #[test]
    fn chunks_are_joined_and_what_follows_is_left() {
        let body = b"5\r\nhello\r\nB ;a=\"b\"\r\n, you there\r\n000\r\n\r\nHTTP/1.1";
        let (data, trailers, left) = read(body, &[]).unwrap();
        assert_eq!(data, b"hello, you there");
        assert!(trailers.is_empty());
        assert_eq!(left, b"HTTP/1.1");
    }

    #[test]
    fn trailers_end_a_body() {
        let body = b"1\r\na\r\n0\r\nx-sum: 42\r\nx-two: b\r\n\r\nnext";
        let (data, trailers, left) = read(body, &[17, 20]).unwrap();
        assert_eq!(data, b"a");
        assert_eq!(trailers["x-sum"], "42");
        assert_eq!(trailers["x-two"], "b");
        assert_eq!(left, b"next");
    }

    #[test]
    fn what_are_no_chunks_is_refused() {
        let long = format!("5;{}", "x".repeat(2000));
        let overflow = "1".repeat(16) + "\r\n";
        let trailers = "0\r\na:".to_owned() + &"b".repeat(20_000);
        for body in [
            "\r\n",
            "x\r\n",
            "-1\r\n",
            "+1\r\n",
            "0x1\r\n",
            "1\n",
            "1\r\r\n",
            "1 2\r\n",
            "1\r\nab",
            "1\r\na\n0\r\n\r\n",
            "1\r\na0\r\n",
            "5;a\rb\r\n",
            "5;a\0\r\n",
            "0\r\na : b\r\n\r\n",
            "0\r\na\r\n\r\n",
            "0\r\na: b\n\n\r\n\r\n",
            &long,
            &overflow,
            &trailers,
        ] {
            let error = read(body.as_bytes(), &[]).unwrap_err();
            assert_ne!(error, "more is needed", "{body:?}");
        }
    }

    #[test]
    fn a_body_that_stops_is_not_complete() {
        let whole = b"3\r\nabc\r\n0\r\nx: y\r\n\r\n";
        for length in 0..whole.len() {
            let error = read(&whole[..length], &[]).unwrap_err();
            assert_eq!(error, "more is needed");
        }
    }

    proptest! {
        #[test]
        fn a_body_is_what_was_put_into_chunks_however_it_is_cut(
            parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..8),
            cuts in proptest::collection::vec(0_usize..400, 0..8),
            left in proptest::collection::vec(any::<u8>(), 0..8),
        ) {
            let mut body = Vec::new();
            for part in &parts {
                body.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
                body.extend_from_slice(part);
                body.extend_from_slice(b"\r\n");
            }
            body.extend_from_slice(b"0\r\n\r\n");
            body.extend_from_slice(&left);
            let expected = Ok((parts.concat(), HeaderMap::new(), left));
            prop_assert_eq!(read(&body, &cuts), expected);
        }

        #[test]
        fn cuts_change_nothing(
            body in "[0-3a;:x\r\n]{0,40}", cuts in proptest::collection::vec(0_usize..40, 0..6)
        ) {
            let whole = read(body.as_bytes(), &[]);
            prop_assert_eq!(read(body.as_bytes(), &cuts), whole);
        }
    }
}
