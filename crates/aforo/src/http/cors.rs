//! The fields that let pages of other origins read an answer (CORS).

use ::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ORIGIN, VARY};
use ::http::{HeaderMap, HeaderName, HeaderValue};
use aforo_policy::Cors;

/// What a page may read of an answer.
const EXPOSED: &str = "RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, \
                       X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Policy";

/// Lets the page that asked read `response`, when its origin is allowed: Allow-Origin, and
/// Expose-Headers with the fields of this crate.
///
/// What an upstream wrote stays: an Allow-Origin of its own wins, its Expose-Headers are joined.
///
/// ```
/// use aforo::http::cors;
/// use aforo::policy::Cors;
/// use http::{HeaderMap, HeaderValue};
///
/// let allowed = Cors { allow_origins: vec!["https://app.example".to_owned()] };
/// let mut request = HeaderMap::new();
/// request.insert("origin", HeaderValue::from_static("https://app.example"));
/// let mut response = HeaderMap::new();
/// cors::write(&mut response, &request, &allowed);
/// assert_eq!(response["access-control-allow-origin"], "https://app.example");
/// ```
pub fn write(response: &mut HeaderMap, request: &HeaderMap, cors: &Cors) {
    let anybody = cors.allow_origins.iter().any(|allowed| allowed == "*");
    if !anybody {
        append(response, VARY, "Origin");
    }
    let Some(origin) = request.get(ORIGIN) else {
        return;
    };
    let is_allowed = |allowed: &String| allowed.as_bytes() == origin.as_bytes();
    if !response.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        let allow = match anybody {
            true => HeaderValue::from_static("*"),
            false if cors.allow_origins.iter().any(is_allowed) => origin.clone(),
            false => return,
        };
        super::fields::put(response, ACCESS_CONTROL_ALLOW_ORIGIN, allow);
    }
    append(response, ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

/// Adds members to a list field, as one value, except those that it has.
fn append(headers: &mut HeaderMap, name: HeaderName, members: &str) {
    let lines = headers.get_all(&name).into_iter();
    let present: Vec<&str> = lines
        .flat_map(|line| line.to_str().unwrap_or_default().split(','))
        .map(str::trim)
        .filter(|member| !member.is_empty())
        .collect();
    let is_missing = |member: &&str| {
        !present
            .iter()
            .any(|other| other.eq_ignore_ascii_case(member))
    };
    let missing = members.split(", ").filter(is_missing);
    let joined: Vec<&str> = present.iter().copied().chain(missing).collect();
    if let Ok(value) = HeaderValue::try_from(joined.join(", ")) {
        super::fields::put(headers, name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(
        allowed: &[&str],
        origin: Option<&'static str>,
        upstream: &[(&'static str, &'static str)],
    ) -> Vec<String> {
        let cors = Cors {
            allow_origins: allowed.iter().map(|origin| (*origin).to_owned()).collect(),
        };
        let mut request = HeaderMap::new();
        if let Some(origin) = origin {
            request.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        let mut response = HeaderMap::new();
        for (name, value) in upstream {
            response.append(*name, HeaderValue::from_static(value));
        }
        write(&mut response, &request, &cors);
        let mut lines: Vec<String> = response
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        lines.sort();
        lines
    }

    #[test]
    fn rl_17_only_allowed_origins_may_read() {
        let exposed = format!("access-control-expose-headers: {EXPOSED}");
        let list = ["https://a.example", "https://b.example"];
        assert_eq!(
            written(&list, Some("https://b.example"), &[]),
            [
                "access-control-allow-origin: https://b.example",
                exposed.as_str(),
                "vary: Origin"
            ]
        );
        for origin in [
            "https://evil.example",
            "https://b.example.evil",
            "null",
            "HTTPS://b.example",
        ] {
            assert_eq!(
                written(&list, Some(origin), &[]),
                ["vary: Origin"],
                "{origin}"
            );
        }
        assert_eq!(written(&list, None, &[]), ["vary: Origin"]);
        assert_eq!(
            written(&["*"], Some("https://any.example"), &[]),
            ["access-control-allow-origin: *", exposed.as_str()]
        );
        assert_eq!(written(&["*"], None, &[]), [""; 0]);
    }

    #[test]
    fn rl_17_what_the_upstream_wrote_stays_and_is_joined() {
        let upstream = [
            ("access-control-allow-origin", "https://other.example"),
            ("access-control-expose-headers", "X-Total"),
            ("access-control-expose-headers", "X-Page, retry-after"),
            ("vary", "Accept-Encoding, origin, X-Origin-Of"),
        ];
        assert_eq!(
            written(&["https://a.example"], Some("https://a.example"), &upstream),
            [
                "access-control-allow-origin: https://other.example".to_owned(),
                "access-control-expose-headers: X-Total, X-Page, retry-after, RateLimit, RateLimit-Policy, \
                 X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Policy"
                    .to_owned(),
                "vary: Accept-Encoding, origin, X-Origin-Of".to_owned(),
            ]
        );
    }
}
