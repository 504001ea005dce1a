//! `exempt_cookie` of a policy.

use std::sync::{Arc, OnceLock};

use aforo_core::Span;

use super::Checker;
use super::names::Use;
use crate::file::raw::{RawExemptCookie, RawPolicy};
use crate::file::read::List;
use crate::file::source::Location;
use crate::{Alternatives, Counted, ExemptCookie, Part, Policy};

/// How long a cookie is worth something where the file does not say.
const MAX_AGE: Span = Span::from_seconds(90 * 86_400);

/// The parts of an account, with their places.
type AccountParts = Vec<(Part, Location)>;

impl Checker<'_> {
    /// The cookie of a policy that counts by `parts`, and the parts of its account.
    pub(super) fn exempt_cookie(
        &mut self,
        raw: &RawPolicy,
        parts: &[(Alternatives, Location)],
        counted: &Counted,
    ) -> Option<(Arc<ExemptCookie>, AccountParts)> {
        let cookie = raw.exempt_cookie.get()?;
        self.check_cookie_name(cookie);
        self.check_counted_apart(cookie, parts);
        let is_set = cookie.set.get().is_none_or(|set| set.value);
        if is_set && !matches!(counted, Counted::Failures | Counted::Statuses(_)) {
            self.findings
                .add(cookie.place, "nothing tells a good login from a failed one")
                .help("write count = \"failures\" or the statuses of failed logins, or set = false where the application sets the cookie");
        }
        let account = self.account(cookie, parts);
        let max_age = self.positive_length(&cookie.max_age).unwrap_or(MAX_AGE);
        let normalize = raw.normalize.get().into_iter().flat_map(List::iter);
        let made = ExemptCookie {
            name: cookie.name.get()?.value.clone(),
            secret: cookie.secret.get()?.clone(),
            account: account.iter().map(|(part, _)| part.clone()).collect(),
            normalize: normalize.map(|choice| choice.value).collect(),
            max_age,
            is_set,
            key: OnceLock::new(),
        };
        self.check_same_cookie(&made, cookie.place);
        let apart =
            |(part, at): (Alternatives, Location)| part.0.into_iter().map(move |one| (one, at));
        Some((
            Arc::new(made),
            account.into_iter().flat_map(apart).collect(),
        ))
    }

    /// The account that a cookie is for: what it says, else what the policy counts by in requests.
    fn account(
        &mut self,
        cookie: &RawExemptCookie,
        parts: &[(Alternatives, Location)],
    ) -> Vec<(Alternatives, Location)> {
        let of_request = |(part, _): &(Alternatives, Location)| is_of_request(part);
        let Some(list) = cookie.account.get() else {
            let own: Vec<_> = parts
                .iter()
                .filter(|part| of_request(part))
                .cloned()
                .collect();
            if own.is_empty() && cookie.account.is_absent() {
                self.findings
                    .add(cookie.place, "a known device is known for an account")
                    .help("count by the account, or name it: account = [\"body:/email\"]");
            }
            return own;
        };
        if list.empty {
            self.findings
                .add(list.at, "an account of no parts")
                .expected("a part such as body:/email");
        }
        let account = self.parts(list);
        for (_, at) in account.iter().filter(|part| !of_request(part)) {
            self.findings
                .add(*at, "an account is what the request names")
                .expected("body:, form:, query:, path: or header: and a name");
        }
        account
    }

    fn check_cookie_name(&mut self, cookie: &RawExemptCookie) {
        let Some(name) = cookie.name.get() else {
            return;
        };
        if !is_token(name.as_str()) {
            let message = format!("`{}` is not a cookie's name", name.written);
            self.findings
                .add(name.at, message)
                .expected("letters, digits, '-' and '_', such as __Host-device");
        }
    }

    /// The caller alone is found without looking at the request.
    fn check_counted_apart(
        &mut self,
        cookie: &RawExemptCookie,
        parts: &[(Alternatives, Location)],
    ) {
        if let [(alternatives, at)] = parts
            && alternatives.0.first() == Some(&Part::Caller)
        {
            self.findings
                .add(*at, "`exempt_cookie` does not go with `caller` alone")
                .help("write client_ip, or the account")
                .also(cookie.place, "the cookie is here");
        }
    }

    /// A cookie has one secret, one account, one way to be made.
    fn check_same_cookie(&mut self, made: &ExemptCookie, at: Location) {
        let known = self
            .cookies
            .iter()
            .find(|(known, _)| known.name == made.name);
        let Some((known, first)) = known else {
            self.cookies.push((made.clone(), at));
            return;
        };
        let same = known.secret == made.secret
            && known.account == made.account
            && known.normalize == made.normalize
            && known.max_age == made.max_age;
        if !same {
            let first = *first;
            self.findings
                .add(at, format!("another cookie is named `{}`", made.name))
                .also(first, "the first one is here")
                .help("one cookie has one secret, account, normalize and max_age; give this one another name");
        }
    }

    /// A login is a route.
    pub(super) fn check_known_on_route(&mut self, policy: &Policy, used: &Use, at: Location) {
        if policy.exempt_cookie.is_some() && !matches!(used, Use::Route(_)) {
            self.findings
                .add(at, "`exempt_cookie` is for the policies of a route")
                .help("put the policy into the list of the route that logs in");
        }
    }
}

fn is_of_request(part: &Alternatives) -> bool {
    !part.0.is_empty() && part.0.iter().all(Part::is_from_request)
}

/// A cookie's name is a token (RFC 6265, section 4.1.1; RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_named_with_tokens() {
        for name in ["device", "__Host-device", "a.b"] {
            assert!(is_token(name), "{name}");
        }
        for name in ["", "a b", "a=b", "a;b", "a,b", "\u{e9}"] {
            assert!(!is_token(name), "{name}");
        }
    }
}
