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

/// Adds members to a list field, as one value, unless it has them.
fn append(headers: &mut HeaderMap, name: HeaderName, members: &str) {
    let mut joined = String::new();
    for line in headers.get_all(&name) {
        let line = line.to_str().unwrap_or_default();
        if line.contains(members) {
            return;
        }
        joined.push_str(line);
        joined.push_str(", ");
    }
    joined.push_str(members);
    if let Ok(value) = HeaderValue::try_from(joined) {
        super::fields::put(headers, name, value);
    }
}
