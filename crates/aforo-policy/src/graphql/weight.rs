//! Weights: what a field, an argument or an object adds to a cost.

use std::fmt;

/// A weight in thousandths of a unit. Arguments may have a negative one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight(i64);

/// A text or number that is no weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotAWeight;

impl Weight {
    /// Nothing.
    pub(crate) const ZERO: Self = Self(0);
    /// One unit.
    pub(crate) const ONE: Self = Self(1_000);
    /// The most, either way: a million units.
    const MOST: f64 = 1e9;

    /// The weight of so many units, to the thousandth.
    pub(crate) fn of(units: f64) -> Result<Self, NotAWeight> {
        let thousandths = (units * 1_000.0).round();
        if !(-Self::MOST..=Self::MOST).contains(&thousandths) {
            return Err(NotAWeight);
        }
        // In range, so that nothing is cut off.
        Ok(Self(thousandths as i64))
    }

    /// A serialised float, as `@cost(weight: "2.0")` has it.
    pub(crate) fn parse(text: &str) -> Result<Self, NotAWeight> {
        text.trim()
            .parse()
            .map_err(|_| NotAWeight)
            .and_then(Self::of)
    }

    /// The sum, which may be negative.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// In thousandths; what is negative is nothing.
    pub(crate) fn thousandths(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let amount = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:03}", amount / 1_000, amount % 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_a_float_to_the_thousandth() {
        for (text, thousandths) in [
            ("2.0", Ok(2_000)),
            ("5", Ok(5_000)),
            (" 0.5 ", Ok(500)),
            ("-3.0", Ok(0)),
            ("1e3", Ok(1_000_000)),
            ("0.0004", Ok(0)),
            ("NaN", Err(NotAWeight)),
            ("inf", Err(NotAWeight)),
            ("1e9", Err(NotAWeight)),
            ("", Err(NotAWeight)),
            ("2 units", Err(NotAWeight)),
        ] {
            let found = Weight::parse(text).map(Weight::thousandths);
            assert_eq!(found, thousandths, "{text:?}");
        }
        let less = Weight::parse("5.0")
            .unwrap()
            .plus(Weight::parse("-3.0").unwrap());
        assert_eq!(less.thousandths(), 2_000);
        assert_eq!(Weight::parse("-0.25").unwrap().to_string(), "-0.250");
    }
}
