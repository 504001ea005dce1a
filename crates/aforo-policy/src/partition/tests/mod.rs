//! The parts of a partition key, one kind at a time.

mod encoding;
mod json;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::cookie::cookie;
use super::host::host;
use super::media::Media;
use super::normalize::normalized;
use super::urlencoded::{Twice, field};
use crate::{Alternatives, Normalize, Part};

const ALL: [Normalize; 3] = [Normalize::Trim, Normalize::Lowercase, Normalize::Nfc];

fn headers(lines: &[(&'static str, &[u8])]) -> HeaderMap {
    let line = |(name, value): &(&'static str, &[u8])| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_bytes(value).unwrap(),
        )
    };
    let mut headers = HeaderMap::new();
    for (name, value) in lines.iter().map(line) {
        headers.append(name, value);
    }
    headers
}

#[test]
fn rl_26_every_spelling_of_an_account_is_one() {
    let account = normalized(b"victim@example.org", &ALL).into_owned();
    for spelling in [
        "Victim@Example.org",
        " victim@example.org",
        "victim@example.org\t",
        "\u{b}VICTIM@EXAMPLE.ORG\r\n",
        "\u{a0}victim@example.org\u{2003}",
    ] {
        assert_eq!(
            *normalized(spelling.as_bytes(), &ALL),
            *account,
            "{spelling:?}"
        );
    }
}

#[test]
fn rl_26_composed_and_decomposed_letters_are_one() {
    let composed = "v\u{ed}ctim".as_bytes();
    for spelling in ["vi\u{301}ctim", "V\u{cd}CTIM", "VI\u{301}CTIM"] {
        assert_eq!(
            *normalized(spelling.as_bytes(), &ALL),
            *composed,
            "{spelling:?}"
        );
    }
    // The Kelvin sign, and a capital whose lower case is two letters.
    assert_eq!(*normalized("\u{212a}".as_bytes(), &ALL), *b"k");
    assert_eq!(
        *normalized("\u{130}".as_bytes(), &ALL),
        *"i\u{307}".as_bytes()
    );
}

#[test]
fn nothing_is_normalised_unasked() {
    assert_eq!(*normalized(b" A ", &[]), *b" A ");
    assert_eq!(*normalized(b" A ", &[Normalize::Trim]), *b"A");
    assert_eq!(*normalized(b" A ", &[Normalize::Lowercase]), *b" a ");
    let decomposed = "e\u{301}".as_bytes();
    assert_eq!(*normalized(decomposed, &[Normalize::Trim]), *decomposed);
}

#[test]
fn bytes_that_are_no_text_stay_apart() {
    assert_eq!(*normalized(b" \xff\xfeA ", &ALL), *b"\xff\xfea");
    assert_ne!(normalized(b"\xff", &ALL), normalized(b"\xfe", &ALL));
}

#[test]
fn a_field_is_found_in_any_spelling() {
    let read =
        |input: &str| field(input.as_bytes(), "e mail").map(|found| found.map(|v| v.to_vec()));
    let text = |value: &str| Ok(Some(value.as_bytes().to_vec()));
    assert_eq!(read("a=1&e+mail=x%40y&b"), text("x@y"));
    assert_eq!(read("%65%20mail=1%2B1+2"), text("1+1 2"));
    assert_eq!(read("e+mail"), text(""));
    assert_eq!(read("e+mail=a=b"), text("a=b"));
    assert_eq!(read("e+mail=%zz%4"), text("%zz%4"));
    assert_eq!(read("email=1&e%2Bmail=2"), Ok(None));
    assert_eq!(read(""), Ok(None));
    assert_eq!(read("e+mail=1&%65+mail=1"), Err(Twice));
}

#[test]
fn a_cookie_is_read_from_all_lines() {
    let one = headers(&[
        ("cookie", b"a=1; session=\"x=y\" ;b=2"),
        ("cookie", b"c=3; sessions=4"),
    ]);
    assert_eq!(cookie(&one, "session"), Ok(Some(b"x=y".as_slice())));
    assert_eq!(cookie(&one, "c"), Ok(Some(b"3".as_slice())));
    assert_eq!(cookie(&one, "Session"), Ok(None));
    let two = headers(&[("cookie", b"a=1"), ("cookie", b"a=2")]);
    assert_eq!(cookie(&two, "a"), Err(Twice));
}

#[test]
fn a_host_has_one_spelling() {
    for raw in [
        "api.example.org",
        "API.Example.org:8080",
        "api.example.org.",
        "api.example.org.:1",
    ] {
        assert_eq!(host(raw).as_slice(), b"api.example.org", "{raw}");
    }
    assert_eq!(host("[2001:DB8::1]:443").as_slice(), b"[2001:db8::1]");
    assert_eq!(host("").as_slice(), b"");
}

#[test]
fn a_body_is_what_its_type_says_in_utf_8() {
    let of = |value: &str| Media::of(&headers(&[("content-type", value.as_bytes())]));
    for json in [
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/json;charset=\"utf-8\"",
        "application/vnd.api+json",
        "application/json; version=1",
    ] {
        assert_eq!(of(json), Some(Media::Json), "{json}");
    }
    let form = "application/x-www-form-urlencoded";
    assert_eq!(of(form), Some(Media::Form));
    for other in [
        "application/json; charset=utf-16",
        "application/x-www-form-urlencoded;charset=iso-8859-1",
        "multipart/form-data; boundary=x",
        "text/plain",
        "application/jsonx",
        "json",
        "+json",
        "",
    ] {
        assert_eq!(of(other), None, "{other}");
    }
}

#[test]
fn a_body_that_is_packed_or_of_two_types_is_unreadable() {
    let json: (&str, &[u8]) = ("content-type", b"application/json");
    let of = |more| Media::of(&headers(&[json, more]));
    assert_eq!(of(("content-encoding", b"identity")), Some(Media::Json));
    assert_eq!(of(("content-encoding", b"gzip")), None);
    assert_eq!(of(("content-encoding", b"identity, gzip")), None);
    assert_eq!(of(("content-type", b"text/plain")), None);
    assert_eq!(Media::of(&HeaderMap::new()), None);
}

#[test]
fn parts_are_shown_as_the_file_writes_them() {
    let alternatives = Alternatives(vec![
        Part::Body("/email".to_owned()),
        Part::Form("email".to_owned()),
        Part::ClientIp(Some(48)),
        Part::Header(HeaderName::from_static("x-tenant")),
    ]);
    let written = "body:/email | form:email | client_ip/48 | header:x-tenant";
    assert_eq!(alternatives.to_string(), written);
}
