//! A question on HTTP/1.1, read where its bytes stand.

use std::mem::MaybeUninit;

use httparse::{Header, Request, Status};

/// The most fields of a head that is read here.
const MOST_FIELDS: usize = 24;

/// A question that came as a whole: a POST whose body has a length and nothing unusual about it.
#[derive(Debug)]
pub(super) struct Whole<'b> {
    pub(super) path: &'b str,
    pub(super) host: Option<&'b str>,
    pub(super) media_type: Option<&'b str>,
    pub(super) authorization: Option<&'b str>,
    pub(super) body: &'b [u8],
    /// How many bytes it has, body and all.
    pub(super) length: usize,
}

/// What the bytes of a connection begin with.
#[derive(Debug)]
pub(super) enum Begins<'b> {
    /// A question.
    Question(Whole<'b>),
    /// What may become one.
    Part,
    /// Anything else.
    Other,
}

/// What is looked at in a head. A field that matters and is there twice leaves nothing to look at.
#[derive(Default)]
struct Fields<'b> {
    host: Option<&'b str>,
    media_type: Option<&'b str>,
    authorization: Option<&'b str>,
    length: Option<&'b str>,
}

/// Reads what the bytes begin with, by the parser that hyper uses. What hyper would read in another
/// way than by its length (chunks, `Expect`, an upgrade) is left to it.
pub(super) fn read(bytes: &[u8]) -> Begins<'_> {
    let mut fields = [const { MaybeUninit::<Header<'_>>::uninit() }; MOST_FIELDS];
    let mut request = Request::new(&mut []);
    let head = match request.parse_with_uninit_headers(bytes, &mut fields) {
        Ok(Status::Complete(head)) => head,
        Ok(Status::Partial) => return Begins::Part,
        Err(_) => return Begins::Other,
    };
    let (Some("POST"), Some(path), Some(1)) = (request.method, request.path, request.version)
    else {
        return Begins::Other;
    };
    let Some(fields) = Fields::of(request.headers) else {
        return Begins::Other;
    };
    let Some(length) = fields.length.and_then(digits) else {
        return Begins::Other;
    };
    let length = head.saturating_add(length);
    match bytes.get(head..length) {
        Some(body) => Begins::Question(Whole {
            path,
            host: fields.host,
            media_type: fields.media_type,
            authorization: fields.authorization,
            body,
            length,
        }),
        None => Begins::Part,
    }
}

impl<'b> Fields<'b> {
    fn of(headers: &[Header<'b>]) -> Option<Self> {
        let mut fields = Self::default();
        for Header { name, value } in headers {
            let place = match name.len() {
                4 if name.eq_ignore_ascii_case("host") => &mut fields.host,
                12 if name.eq_ignore_ascii_case("content-type") => &mut fields.media_type,
                13 if name.eq_ignore_ascii_case("authorization") => &mut fields.authorization,
                14 if name.eq_ignore_ascii_case("content-length") => &mut fields.length,
                10 if name.eq_ignore_ascii_case("connection") => {
                    match value.eq_ignore_ascii_case(b"keep-alive") {
                        true => continue,
                        false => return None,
                    }
                }
                6 if name.eq_ignore_ascii_case("expect") => return None,
                7 if name.eq_ignore_ascii_case("upgrade") => return None,
                17 if name.eq_ignore_ascii_case("transfer-encoding") => return None,
                _ => continue,
            };
            let text = str::from_utf8(value).ok().filter(|text| text.is_ascii())?;
            if place.replace(text).is_some() {
                return None;
            }
        }
        Some(fields)
    }
}

/// A length: digits, and few enough of them.
fn digits(text: &str) -> Option<usize> {
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits && (1..=7).contains(&text.len()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "POST /v1/decide HTTP/1.1\r\nHost: localhost:8082\r\n\
        Content-Type: application/json\r\nauthorization: Bearer abc\r\ncontent-length: 2\r\n\r\n{}";

    fn with(field: &str) -> String {
        QUESTION.replacen("\r\n", &format!("\r\n{field}\r\n"), 1)
    }

    #[test]
    fn a_question_is_read_with_what_matters_of_it() {
        let two = format!("{QUESTION}POST");
        let Begins::Question(whole) = read(two.as_bytes()) else {
            panic!("no question");
        };
        assert_eq!(whole.path, "/v1/decide");
        assert_eq!(whole.host, Some("localhost:8082"));
        assert_eq!(whole.media_type, Some("application/json"));
        assert_eq!(whole.authorization, Some("Bearer abc"));
        assert_eq!(whole.body, b"{}");
        assert_eq!(whole.length, QUESTION.len());
    }

    #[test]
    fn every_beginning_of_a_question_is_a_part_of_it() {
        for length in 0..QUESTION.len() {
            let begun = read(&QUESTION.as_bytes()[..length]);
            assert!(matches!(begun, Begins::Part), "{length}: {begun:?}");
        }
    }

    #[test]
    fn what_clients_add_does_not_matter() {
        for field in [
            "Connection: keep-alive",
            "connection: Keep-Alive",
            "user-agent: a",
            "accept: */*",
            "accept-encoding: gzip",
            "te: trailers",
        ] {
            assert!(
                matches!(read(with(field).as_bytes()), Begins::Question(_)),
                "{field}"
            );
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_hyper() {
        for field in [
            "Transfer-Encoding: chunked",
            "transfer-encoding: identity",
            "Expect: 100-continue",
            "Upgrade: h2c",
            "Connection: close",
            "Connection: keep-alive, upgrade",
            "Host: elsewhere",
            "content-length: 2",
            "content-type: application/json",
            "authorization: Bearer abc",
            "no field",
            " folded: a",
        ] {
            assert!(
                matches!(read(with(field).as_bytes()), Begins::Other),
                "{field}"
            );
        }
        for (part, other) in [
            ("POST", "GET"),
            ("HTTP/1.1", "HTTP/1.0"),
            ("POST /v1", "PRI * HTTP/2.0\r\n\r\n"),
            ("content-length: 2", "x: 2"),
            ("content-length: 2", "content-length: +2"),
            ("content-length: 2", "content-length: 2, 2"),
            ("content-length: 2", "content-length:"),
            ("content-length: 2", "content-length: 00000002"),
            ("localhost", "caf\u{e9}"),
        ] {
            let text = QUESTION.replacen(part, other, 1);
            assert!(matches!(read(text.as_bytes()), Begins::Other), "{text}");
        }
        let many = with("a: b\r\n".repeat(MOST_FIELDS).trim_end());
        assert!(matches!(read(many.as_bytes()), Begins::Other));
    }
}
