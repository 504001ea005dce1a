//! What a request costs, read from the request.

use crate::partition::{Twice, field, items};
use crate::{CostFrom, Facts, Refusal};

/// The units that a request takes. A body that was not read costs the least.
pub(crate) fn price(from: &CostFrom, facts: &Facts<'_>) -> Result<u64, Refusal> {
    match from {
        CostFrom::BodyItems {
            pointer,
            per_item,
            max,
        } => {
            let items = items(facts, pointer)?.unwrap_or(1).max(1);
            let counted = max.map_or(items, |max| items.min(max));
            Ok(counted.saturating_mul(*per_item))
        }
        CostFrom::Query {
            name,
            per_item,
            max,
            default,
        } => {
            let query = facts.query.unwrap_or_default();
            let value = field(query.as_bytes(), name).map_err(|Twice| Refusal::DuplicatePart {
                part: format!("query:{name}"),
            })?;
            let asked = value.map_or(*default, |value| number(&value, *max));
            Ok(asked.saturating_mul(*per_item))
        }
        CostFrom::ResponseHeader { estimate, .. } => Ok(*estimate),
        #[cfg(feature = "graphql")]
        CostFrom::GraphQl { gauge, .. } => Ok(gauge.price(facts)?),
    }
}

/// A whole number from 1 to `max`; anything else is `max`.
fn number(value: &[u8], max: u64) -> u64 {
    let digits = value.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(value)
        .ok()
        .filter(|_| digits)
        .and_then(|text| text.parse().ok());
    number
        .filter(|number| (1..max).contains(number))
        .unwrap_or(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_of_the_range_is_the_most() {
        for (value, counted) in [
            ("1", 1),
            ("99", 99),
            ("100", 100),
            ("007", 7),
            ("101", 100),
            ("0", 100),
            ("", 100),
            ("-1", 100),
            ("+5", 100),
            ("1e1", 100),
            (" 5", 100),
            ("99999999999999999999999", 100),
            ("all", 100),
        ] {
            assert_eq!(number(value.as_bytes(), 100), counted, "{value:?}");
        }
    }
}
