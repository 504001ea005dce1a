//! How the head of an answer is read.

use std::mem::MaybeUninit;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderMap, HeaderValue, Response, StatusCode, Version};
use httparse::{ParserConfig, Status};
use hyper::ext::ReasonPhrase;

use super::DirectError;
use super::field_names::FieldNames;

/// The most fields that an answer may have.
const MOST_FIELDS: usize = 100;

/// How many of `bytes` are a head, up to and with its empty line; `None`: it is not complete.
/// The first `searched` were looked through before.
pub(super) fn length_of_head(bytes: &[u8], searched: usize) -> Option<usize> {
    let is_end = |at: &usize| {
        bytes
            .get(..=*at)
            .is_some_and(|to| to.ends_with(b"\r\n\r\n"))
    };
    let line_ends = memchr::memchr_iter(b'\n', bytes.get(searched..)?);
    let end = line_ends
        .map(|at| searched.saturating_add(at))
        .find(is_end)?;
    Some(end.saturating_add(1))
}

/// Reads a whole head; `headers` is empty and lends its memory. A `Connection` that only says
/// `keep-alive` says nothing in HTTP/1.1, and is left out.
pub(super) fn parse(
    head: &Bytes,
    mut headers: HeaderMap,
    names: &mut FieldNames,
) -> Result<Response<()>, DirectError> {
    let mut fields = [const { MaybeUninit::uninit() }; MOST_FIELDS];
    let mut read = httparse::Response::new(&mut []);
    let parsed = ParserConfig::default()
        .parse_response_with_uninit_headers(&mut read, head, &mut fields)
        .map_err(|_invalid| DirectError::Malformed("its head is not one of HTTP/1.1"))?;
    if parsed != Status::Complete(head.len()) {
        return Err(DirectError::Malformed("its head ends twice"));
    }
    for (place, field) in read.headers.iter().enumerate() {
        let name = names
            .name(place, field.name)
            .map_err(|_invalid| DirectError::Malformed("a field has no valid name"))?;
        if name == CONNECTION && field.value == b"keep-alive" {
            continue;
        }
        let value = HeaderValue::from_maybe_shared(head.slice_ref(field.value))
            .map_err(|_invalid| DirectError::Malformed("a field has no valid value"))?;
        headers
            .try_append(name, value)
            .map_err(|_full| DirectError::Malformed("it has too many fields"))?;
    }
    let status = read.code.and_then(|code| StatusCode::from_u16(code).ok());
    let mut response = Response::new(());
    *response.status_mut() = status.ok_or(DirectError::Malformed("it has no valid status"))?;
    *response.version_mut() = match read.version {
        Some(0) => Version::HTTP_10,
        _ => Version::HTTP_11,
    };
    *response.headers_mut() = headers;
    keep_reason(&mut response, read.reason.unwrap_or_default(), head);
    Ok(response)
}

/// Whether the upstream takes another request on the same connection (RFC 9112 §9.3). One of
/// HTTP/1.0 is not asked again.
pub(super) fn keeps_alive(response: &Response<()>) -> bool {
    let headers = response.headers();
    // Most answers have no such field, which their names tell sooner than a look-up does.
    let says_close = || headers.get_all(CONNECTION).iter().any(says_close);
    let may_close = headers.keys().any(|name| *name == CONNECTION);
    response.version() == Version::HTTP_11 && !(may_close && says_close())
}

fn says_close(line: &HeaderValue) -> bool {
    let mut tokens = line.as_bytes().split(|byte| *byte == b',');
    tokens.any(|token| token.trim_ascii().eq_ignore_ascii_case(b"close"))
}

/// A reason of the upstream's own goes on to the client.
fn keep_reason(response: &mut Response<()>, reason: &str, head: &Bytes) {
    if response.status().canonical_reason() == Some(reason) {
        return;
    }
    let reason = head.slice_ref(reason.as_bytes());
    if let Ok(reason) = ReasonPhrase::try_from(reason) {
        response.extensions_mut().insert(reason);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(head: &'static str) -> Result<Response<()>, DirectError> {
        let head = Bytes::from_static(head.as_bytes());
        parse(&head, HeaderMap::new(), &mut FieldNames::default())
    }

    #[test]
    fn a_head_is_a_status_and_fields() {
        let head = "HTTP/1.1 200 OK\r\nServer: a\r\nset-cookie: b=1\r\nset-cookie:c=2 \r\n\r\n";
        let response = parsed(head).unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.version(), Version::HTTP_11);
        assert_eq!(response.headers()["server"], "a");
        let cookies: Vec<_> = response.headers().get_all("set-cookie").iter().collect();
        assert_eq!(cookies, ["b=1", "c=2"]);
        assert!(response.extensions().get::<ReasonPhrase>().is_none());
        assert!(keeps_alive(&response));
    }

    #[test]
    fn a_reason_of_its_own_is_kept() {
        let response = parsed("HTTP/1.1 200 Splendid\r\n\r\n").unwrap();
        let reason = response.extensions().get::<ReasonPhrase>().unwrap();
        assert_eq!(reason.as_bytes(), b"Splendid");
    }

    #[test]
    fn a_connection_that_only_stays_says_nothing() {
        let head = "HTTP/1.1 200 OK\r\nconnection: keep-alive\r\na: b\r\n\r\n";
        let response = parsed(head).unwrap();
        assert_eq!(response.headers().len(), 1);
        assert_eq!(response.headers()["a"], "b");
        assert!(keeps_alive(&response));
        let named = parsed("HTTP/1.1 200 OK\r\nconnection: keep-alive, a\r\na: b\r\n\r\n");
        assert_eq!(named.unwrap().headers().len(), 2, "what it names is to go");
    }

    #[test]
    fn who_closes_says_so_or_speaks_http_1_0() {
        for head in [
            "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\n",
            "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nconnection: x-hop , Close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nconnection: x-hop\r\nconnection: close\r\n\r\n",
        ] {
            assert!(!keeps_alive(&parsed(head).unwrap()), "{head:?}");
        }
        let named = parsed("HTTP/1.1 200 OK\r\nconnection: closed\r\n\r\n");
        assert!(keeps_alive(&named.unwrap()));
    }

    #[test]
    fn what_is_no_head_is_refused() {
        for head in [
            "\r\n\r\n",
            "HTTP/2.0 200 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 099 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\na : b\r\n\r\n",
            "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n",
            "HTTP/1.1 200 OK\r\na: b\0\r\n\r\n",
            "HTTP/1.1 200 OK\r\na: b\rc: d\r\n\r\n",
            "HTTP/1.1 200 OK\r\na b\r\n\r\n",
            "HTTP/1.1 200 OK\n\nHTTP/1.1 200 OK\r\n\r\n",
        ] {
            assert!(parsed(head).is_err(), "{head:?}");
        }
    }

    proptest! {
        #[test]
        fn a_head_ends_at_its_empty_line_however_it_comes(
            head in "[a-z\r\n]{0,12}", rest in "[a-z\r\n]{0,12}", cut in 0_usize..30
        ) {
            let whole = format!("{head}\r\n\r\n{rest}");
            let expected = whole.find("\r\n\r\n").map(|start| start.saturating_add(4));
            let cut = cut.min(whole.len());
            let first = length_of_head(&whole.as_bytes()[..cut], 0);
            let found = first.or_else(|| length_of_head(whole.as_bytes(), cut));
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn no_bytes_make_it_panic(head in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&Bytes::from(head), HeaderMap::new(), &mut FieldNames::default());
        }
    }
}
