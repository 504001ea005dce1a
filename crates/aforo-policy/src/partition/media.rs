//! What a body is, by its Content-Type and Content-Encoding.

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};

/// A body that can be read for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    /// `application/json` or `…+json`.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
}

impl Media {
    /// What the headers say; none when it is anything else, compressed, in another character
    /// set than UTF-8, or said twice.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        essence(headers).and_then(Self::named)
    }

    fn named(essence: &str) -> Option<Self> {
        if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Some(Self::Form);
        }
        let (_, subtype) = essence.split_once('/')?;
        let suffix = subtype.rsplit_once('+').map(|(_, suffix)| suffix);
        let json = essence.eq_ignore_ascii_case("application/json")
            || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"));
        json.then_some(Self::Json)
    }

    /// Its name, for people.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Form => "application/x-www-form-urlencoded",
        }
    }
}

/// The media type of a body, without parameters; none when it is compressed, in another character
/// set than UTF-8, or said twice.
pub(crate) fn essence(headers: &HeaderMap) -> Option<&str> {
    let encoded = headers.get_all(CONTENT_ENCODING).iter().any(|coding| {
        !coding
            .as_bytes()
            .trim_ascii()
            .eq_ignore_ascii_case(b"identity")
    });
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(one), None, false) = (types.next(), types.next(), encoded) else {
        return None;
    };
    let mut pieces = one.to_str().ok()?.split(';');
    let essence = pieces.next()?.trim();
    if !pieces.all(|parameter| allows_utf_8(parameter.trim())) {
        return None;
    }
    Some(essence)
}

/// Whether a parameter of a media type leaves the body in UTF-8.
fn allows_utf_8(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return true;
    };
    !name.trim().eq_ignore_ascii_case("charset")
        || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
}
