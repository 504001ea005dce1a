//! The language of an answer.

use ::http::HeaderMap;
use ::http::header::ACCEPT_LANGUAGE;
use aforo_policy::Language;

/// The languages that titles and details exist in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    English,
    Spanish,
}

impl Spoken {
    /// The language of an answer: the configured one, or the one that Accept-Language wants most
    /// (RFC 9110, section 12.5.4), of equals the first; English when it wants neither.
    pub(super) fn of(language: Language, headers: &HeaderMap) -> Self {
        match language {
            Language::English => Self::English,
            Language::Spanish => Self::Spanish,
            Language::Auto => wanted(headers).unwrap_or(Self::English),
        }
    }

    /// The language tag.
    pub(super) const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }
}

fn wanted(headers: &HeaderMap) -> Option<Spoken> {
    let mut best: Option<(Spoken, u16)> = None;
    for line in headers.get_all(ACCEPT_LANGUAGE) {
        for range in line.to_str().unwrap_or_default().split(',') {
            let Some((spoken, weight)) = spoken(range) else {
                continue;
            };
            if weight > best.map_or(0, |(_, weight)| weight) {
                best = Some((spoken, weight));
            }
        }
    }
    best.map(|(spoken, _)| spoken)
}

/// The language of one range and its weight in thousandths.
fn spoken(range: &str) -> Option<(Spoken, u16)> {
    let mut parts = range.split(';').map(str::trim);
    let primary = parts.next()?.split('-').next()?;
    let spoken = if primary.eq_ignore_ascii_case("es") {
        Spoken::Spanish
    } else if primary.eq_ignore_ascii_case("en") || primary == "*" {
        Spoken::English
    } else {
        return None;
    };
    match parts.next() {
        None => Some((spoken, 1_000)),
        Some(parameter) => Some((spoken, weight(parameter)?)),
    }
}

/// A weight, `q=0.8`, in thousandths.
fn weight(parameter: &str) -> Option<u16> {
    let value = parameter
        .strip_prefix("q=")
        .or_else(|| parameter.strip_prefix("Q="))?;
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    let are_digits = decimals.bytes().all(|byte| byte.is_ascii_digit());
    if decimals.len() > 3 || !are_digits {
        return None;
    }
    match whole {
        "0" => format!("{decimals:0<3}").parse().ok(),
        "1" => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ::http::HeaderValue;

    use super::*;

    fn of(value: &str) -> &'static str {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_str(value).unwrap());
        Spoken::of(Language::Auto, &headers).tag()
    }

    #[test]
    fn the_most_wanted_language_is_spoken() {
        let cases = [
            ("es", "es"),
            ("ES-mx", "es"),
            ("en", "en"),
            ("es, en", "es"),
            ("en, es", "en"),
            ("en;q=0.8, es;q=0.9", "es"),
            ("en;q=0.8, es;q=0.75", "en"),
            ("fr, de;q=0.9, es;q=0.1", "es"),
            ("es;q=0", "en"),
            ("es;q=0, en;q=0.001", "en"),
            ("*, es;q=0.5", "en"),
            ("es-419;q=1.000, en-GB;q=0.999", "es"),
            ("fr", "en"),
            ("es;q=2", "en"),
            ("es;q=0.9999", "en"),
            ("es;level=1", "en"),
            ("est", "en"),
            ("", "en"),
            (",;,=", "en"),
        ];
        for (value, expected) in cases {
            assert_eq!(of(value), expected, "{value}");
        }
    }

    #[test]
    fn a_configured_language_does_not_ask() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("en"));
        assert_eq!(Spoken::of(Language::Spanish, &headers), Spoken::Spanish);
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("es"));
        assert_eq!(Spoken::of(Language::English, &headers), Spoken::English);
    }

    #[test]
    fn lines_are_joined_and_unreadable_ones_skipped() {
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT_LANGUAGE, HeaderValue::from_bytes(b"\xff").unwrap());
        headers.append(ACCEPT_LANGUAGE, HeaderValue::from_static("en;q=0.5"));
        headers.append(ACCEPT_LANGUAGE, HeaderValue::from_static("es"));
        assert_eq!(Spoken::of(Language::Auto, &headers), Spoken::Spanish);
    }
}
