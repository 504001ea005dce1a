//! The rows of the table that `scripts/bench` prints.

use std::fmt;

use crate::series::{Ratio, Series};

/// What a figure has to reach.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
    /// Nothing: it is told for information.
    Told,
}

/// One row: what was measured, both sides, their ratio, and the target.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// Aforo's side, with its unit.
    pub ours: String,
    /// The other side, with its unit.
    pub theirs: String,
    /// The figure, as the table shows it.
    pub figure: String,
    /// The figure as a number.
    pub value: f64,
    /// What it has to reach.
    pub target: Target,
}

impl Row {
    /// How many times less `ours` takes than `theirs` ("2× as fast").
    pub fn times_faster(
        what: &str,
        ours: &Series,
        theirs: &Series,
        unit: &str,
        target: Target,
    ) -> Self {
        Self::ratio(what, ours, theirs, unit, theirs.over(ours), target)
    }

    /// How much `ours` takes of what `theirs` takes ("0.5× the CPU").
    pub fn share(what: &str, ours: &Series, theirs: &Series, unit: &str, target: Target) -> Self {
        Self::ratio(what, ours, theirs, unit, ours.over(theirs), target)
    }

    fn ratio(
        what: &str,
        ours: &Series,
        theirs: &Series,
        unit: &str,
        ratio: Ratio,
        target: Target,
    ) -> Self {
        let Ratio {
            median,
            least,
            most,
        } = ratio;
        Self {
            what: what.to_owned(),
            ours: format!("{:.1} {unit}", ours.median()),
            theirs: format!("{:.1} {unit}", theirs.median()),
            figure: format!("{median:.2}× ({least:.2}–{most:.2})"),
            value: median,
            target,
        }
    }

    fn verdict(&self) -> &'static str {
        let met = match self.target {
            Target::AtLeast(bound) => self.value >= bound,
            Target::AtMost(bound) => self.value <= bound,
            Target::Told => return "",
        };
        if met { "met" } else { "**missed**" }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            ours,
            theirs,
            figure,
            target,
            ..
        } = self;
        write!(
            f,
            "| {what} | {ours} | {theirs} | {figure} | {target} | {} |",
            self.verdict()
        )
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(bound) => write!(f, "≥ {bound}"),
            Self::AtMost(bound) => write!(f, "≤ {bound}"),
            Self::Told => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64, target: Target) -> String {
        Row {
            what: "one".into(),
            ours: "1 ns".into(),
            theirs: "2 ns".into(),
            figure: "2.00×".into(),
            value,
            target,
        }
        .to_string()
    }

    #[test]
    fn a_target_is_met_or_missed() {
        assert_eq!(
            row(2.0, Target::AtLeast(2.0)),
            "| one | 1 ns | 2 ns | 2.00× | ≥ 2 | met |"
        );
        assert_eq!(
            row(2.1, Target::AtMost(2.0)),
            "| one | 1 ns | 2 ns | 2.00× | ≤ 2 | **missed** |"
        );
        assert_eq!(
            row(2.1, Target::Told),
            "| one | 1 ns | 2 ns | 2.00× |  |  |"
        );
    }

    #[test]
    fn a_figure_that_is_no_number_misses() {
        assert!(row(f64::NAN, Target::AtMost(2.0)).contains("missed"));
        assert!(row(f64::NAN, Target::AtLeast(2.0)).contains("missed"));
    }
}
