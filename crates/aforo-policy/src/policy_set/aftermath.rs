//! What the response to a request is looked at for.

use http::{HeaderMap, HeaderName};

use super::PolicySet;
use crate::{CostFrom, Matched, Settings};

/// What the response to a request is looked at for.
#[derive(Debug)]
pub struct Aftermath {
    /// The header that says what the request truly cost.
    pub cost_header: Option<HeaderName>,
}

impl PolicySet {
    /// Whether some responses are looked at: else there is never an [`Aftermath`].
    pub const fn looks_at_responses(&self) -> bool {
        self.looks_at_responses
    }

    /// What the response to a request is looked at for.
    pub fn aftermath(&self, matched: &Matched<'_>) -> Option<Aftermath> {
        let cost_header = matched.route.and_then(|route| match &route.cost_from {
            Some(CostFrom::ResponseHeader { name, .. }) => Some(name.clone()),
            _ => None,
        });
        cost_header.is_some().then_some(Aftermath { cost_header })
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
}

/// Whether some route or policy of the file has to look at responses.
pub(super) fn looks_at_responses(settings: &Settings) -> bool {
    let mut sources = settings.routes.iter().flat_map(|route| &route.cost_from);
    sources.any(|from| matches!(from, CostFrom::ResponseHeader { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_one_header_with_a_whole_number() {
        let name = HeaderName::from_static("x-cost");
        let aftermath = Aftermath {
            cost_header: Some(name.clone()),
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
