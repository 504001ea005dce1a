//! What the response to a request is looked at for.

use std::sync::Arc;

use aforo_core::Timestamp;
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use smallvec::SmallVec;

use super::{PolicySet, may_limit};
use crate::partition::Bytes;
use crate::{Caller, CostFrom, Counted, ExemptCookie, Facts, Matched, Place, Policy, Settings};

/// What the response to a request is looked at for.
#[derive(Debug, Default)]
pub struct Aftermath {
    /// The header that says what the request truly cost.
    cost_header: Option<HeaderName>,
    /// The accounts that may be logged into.
    logins: SmallVec<[Login; 1]>,
}

/// An account that may be logged into.
#[derive(Debug)]
struct Login {
    cookie: Arc<ExemptCookie>,
    account: SmallVec<[Bytes; 2]>,
    /// The responses that tell a failure.
    counted: Counted,
}

impl PolicySet {
    /// Whether some responses are looked at: else there is never an [`Aftermath`].
    pub const fn looks_at_responses(&self) -> bool {
        self.looks_at_responses
    }

    /// What the response to a request is looked at for.
    pub fn aftermath(
        &self,
        facts: &Facts<'_>,
        caller: &Caller,
        matched: &Matched<'_>,
        place: Place,
    ) -> Option<Aftermath> {
        let route = matched.route?;
        let cost_header = route.cost_from.as_ref().and_then(CostFrom::header).cloned();
        let mut aftermath = Aftermath {
            cost_header,
            logins: SmallVec::new(),
        };
        let origin = self.origin_of(facts, caller, matched);
        for policy in &route.policies {
            let cookie = set_by(policy).filter(|cookie| {
                policy.at.hold(place) && may_limit(policy, caller) && aftermath.lacks(cookie)
            });
            let account = cookie.and_then(|cookie| origin.account(cookie, None));
            if let (Some(cookie), Some(account)) = (cookie, account) {
                aftermath.logins.push(Login {
                    cookie: Arc::clone(cookie),
                    account,
                    counted: policy.counted.clone(),
                });
            }
        }
        let is_needed = aftermath.cost_header.is_some() || !aftermath.logins.is_empty();
        is_needed.then_some(aftermath)
    }
}

impl Aftermath {
    /// What the response says that the request truly cost: one header with a whole number.
    pub fn cost(&self, response: &HeaderMap) -> Option<u64> {
        let mut values = response.get_all(self.cost_header.as_ref()?).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let digits = value.as_bytes().trim_ascii();
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// Makes the device one that is known for the account, where the response says that it was
    /// logged into: it is a 2xx or 3xx that the policy does not count. A cookie of that name which
    /// the application sets itself stays as it is.
    pub fn mark_device(&self, status: StatusCode, response: &mut HeaderMap, now: Timestamp) {
        let good = status.is_success() || status.is_redirection();
        for login in &self.logins {
            if !good || login.counted.holds(status) || sets(response, &login.cookie.name) {
                continue;
            }
            let cookie = login.cookie.set_cookie(&login.account, now);
            let value = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok());
            if let Some(value) = value {
                response.append(SET_COOKIE, value);
            }
        }
    }

    fn lacks(&self, cookie: &ExemptCookie) -> bool {
        let mut known = self.logins.iter().map(|login| &login.cookie.name);
        !known.any(|name| *name == cookie.name)
    }
}

/// The cookie that Aforo sets for a policy.
fn set_by(policy: &Policy) -> Option<&Arc<ExemptCookie>> {
    policy.exempt_cookie.as_ref().filter(|cookie| cookie.is_set)
}

/// Whether a response sets this cookie.
fn sets(response: &HeaderMap, name: &str) -> bool {
    response.get_all(SET_COOKIE).iter().any(|value| {
        let rest = value
            .as_bytes()
            .trim_ascii_start()
            .strip_prefix(name.as_bytes());
        rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"="))
    })
}

/// Whether some route or policy of the file has to look at responses.
pub(super) fn looks_at_responses(settings: &Settings) -> bool {
    let mut sources = settings.routes.iter().flat_map(|route| &route.cost_from);
    let mut policies = settings.all_policies();
    sources.any(|from| from.header().is_some()) || policies.any(|policy| set_by(policy).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_one_header_with_a_whole_number() {
        let name = HeaderName::from_static("x-cost");
        let aftermath = Aftermath {
            cost_header: Some(name.clone()),
            ..Aftermath::default()
        };
        let cost = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(name.clone(), value.parse().unwrap());
            }
            aftermath.cost(&headers)
        };
        assert_eq!(cost(&["7"]), Some(7));
        assert_eq!(cost(&[" 0 "]), Some(0));
        assert_eq!(cost(&["18446744073709551615"]), Some(u64::MAX));
        for none in [
            &[][..],
            &[""],
            &["-1"],
            &["+1"],
            &["1.5"],
            &["1e3"],
            &["x"],
            &["18446744073709551616"],
            &["1", "1"],
        ] {
            assert_eq!(cost(none), None, "{none:?}");
        }
    }
}
