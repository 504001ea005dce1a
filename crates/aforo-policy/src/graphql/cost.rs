//! What an operation costs.

/// Which of a query's costs counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// The greater of the two.
    #[default]
    Greater,
    /// The field cost: the weights of the fields that are resolved.
    Field,
    /// The type cost: the weights of the objects that are returned.
    Type,
}

/// What a request costs at most, told from its text alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Whole units, rounded up: at least 1 for each operation.
    pub units: u64,
    /// The levels of fields, the deepest operation's. What fields say of the schema
    /// (introspection) is one level.
    pub depth: u32,
    /// The field cost in thousandths of a unit.
    pub field: u64,
    /// The type cost in thousandths of a unit.
    pub types: u64,
}

/// Field cost and type cost in thousandths of a unit. What is too much for the numbers stays at
/// their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) field: u64,
    pub(super) types: u64,
}

impl Sum {
    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            field: self.field.saturating_add(other.field),
            types: self.types.saturating_add(other.types),
        }
    }

    pub(super) const fn times(self, count: u64) -> Self {
        Self {
            field: self.field.saturating_mul(count),
            types: self.types.saturating_mul(count),
        }
    }
}

impl Cost {
    /// The most that is ever told, so that sums of costs stay numbers that every store can hold.
    const MOST: u64 = 1 << 50;

    /// The cost of one operation.
    pub(super) fn of(sum: Sum, depth: u32, measure: Measure) -> Self {
        let thousandths = match measure {
            Measure::Greater => sum.field.max(sum.types),
            Measure::Field => sum.field,
            Measure::Type => sum.types,
        };
        Self {
            units: thousandths.div_ceil(1_000).clamp(1, Self::MOST),
            depth,
            field: sum.field,
            types: sum.types,
        }
    }

    /// A cost that is set, whatever stands behind it.
    pub(super) fn set(units: u64) -> Self {
        Self {
            units: units.clamp(1, Self::MOST),
            ..Self::default()
        }
    }

    /// The cost of both, one after the other.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            units: self.units.saturating_add(other.units).min(Self::MOST),
            depth: self.depth.max(other.depth),
            field: self.field.saturating_add(other.field),
            types: self.types.saturating_add(other.types),
        }
    }

    /// The cost of either, whichever is more.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            units: self.units.max(other.units),
            depth: self.depth.max(other.depth),
            field: self.field.max(other.field),
            types: self.types.max(other.types),
        }
    }
}
