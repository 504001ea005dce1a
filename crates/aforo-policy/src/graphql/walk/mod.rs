//! From a parsed document to its cost: every field is looked at once, and every fragment once for
//! each way in which it is used.

mod arguments;
mod field;
mod fragments;

use bluejay_core::{AsIter, Directive as _, OperationType, Value as _, ValueReference};
use bluejay_parser::ast::executable::{InlineFragment, Selection, SelectionSet};
use bluejay_parser::ast::{VariableDirective, VariableDirectives};

use super::cost::Sum;
use super::fault::Fault;
use super::gauge::Gauge;
use super::schema::{Sizing, TypeId};
use super::values::Variables;
use bluejay_core::executable::FragmentSpread as _;
pub(super) use fragments::Fragments;
use fragments::{Memo, Progress};

/// The most levels of fields and fragments in one another: far more than any client sends, and few
/// enough for a thread's stack.
pub(super) const MOST_LEVELS: u32 = 100;

/// The most selections that are looked at for one request, repeated ones included.
pub(super) const MOST_STEPS: u32 = 100_000;

/// An operation that is walked.
pub(super) struct Walk<'w> {
    pub(super) gauge: &'w Gauge,
    pub(super) fragments: &'w Fragments<'w>,
    pub(super) variables: &'w Variables<'w>,
    memo: Memo,
    /// The selections that may still be looked at.
    steps: &'w mut u32,
}

/// Where a selection stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The type of the object, where it is known.
    of: Option<TypeId>,
    kind: Kind,
    /// Whose lists have the size that the field above says.
    sized: Sizing,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// An operation's root.
    Root(OperationType),
    /// Any other.
    Object,
    /// A part of the schema (introspection).
    Schema,
}

/// What a set of selections costs for one object.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// What does not depend on the size that the field above says.
    plain: Sum,
    /// What is multiplied by it.
    sized: Sum,
    /// Whether a field whose list has that size is among them.
    has_sized: bool,
    depth: u32,
    /// How often an introspection goes from a type to other types.
    circles: u32,
}

impl Part {
    fn plus(self, other: Self) -> Self {
        Self {
            plain: self.plain.plus(other.plain),
            sized: self.sized.plus(other.sized),
            has_sized: self.has_sized || other.has_sized,
            depth: self.depth.max(other.depth),
            circles: self.circles.max(other.circles),
        }
    }

    /// The whole at a size.
    const fn at(&self, size: u64) -> Sum {
        self.plain.plus(self.sized.times(size))
    }
}

impl<'w> Walk<'w> {
    pub(super) fn new(
        gauge: &'w Gauge,
        fragments: &'w Fragments<'w>,
        variables: &'w Variables<'w>,
        steps: &'w mut u32,
    ) -> Self {
        Self {
            gauge,
            fragments,
            variables,
            memo: Memo::default(),
            steps,
        }
    }

    /// The cost of an operation, and its depth.
    pub(super) fn operation(
        &mut self,
        operation: OperationType,
        set: &'w SelectionSet<'w>,
    ) -> Result<(Sum, u32), Fault> {
        let of = self.gauge.schema.root(operation);
        let place = Place {
            of,
            kind: Kind::Root(operation),
            sized: Sizing::Connection,
        };
        let part = self.selections(set, place, 0)?;
        let root = Sum {
            field: 0,
            types: self.object_weight(of, true),
        };
        Ok((root.plus(part.at(self.gauge.list_size)), part.depth))
    }

    fn selections(
        &mut self,
        set: &'w SelectionSet<'w>,
        place: Place,
        level: u32,
    ) -> Result<Part, Fault> {
        if level >= MOST_LEVELS {
            return Err(Fault::TooLarge {
                what: "levels",
                most: MOST_LEVELS,
            });
        }
        let mut whole = Part::default();
        for selection in set.iter() {
            *self.steps = self.steps.checked_sub(1).ok_or(Fault::TooLarge {
                what: "selections in its fragments",
                most: MOST_STEPS,
            })?;
            let part = match selection {
                Selection::Field(field) => self.field(field, place, level)?,
                Selection::InlineFragment(inline) => self.inline(inline, place, level)?,
                Selection::FragmentSpread(spread) => {
                    if is_left_out(spread.directives()) {
                        continue;
                    }
                    self.spread(spread.name().as_str(), place, level)?
                }
            };
            whole = whole.plus(part);
        }
        Ok(whole)
    }

    fn inline(
        &mut self,
        inline: &'w InlineFragment<'w>,
        place: Place,
        level: u32,
    ) -> Result<Part, Fault> {
        if is_left_out(bluejay_core::executable::InlineFragment::directives(inline)) {
            return Ok(Part::default());
        }
        let condition = bluejay_core::executable::InlineFragment::type_condition(inline);
        let of = condition.map_or(place.of, |name| self.gauge.schema.type_named(name));
        let set = inline.selection_set();
        self.selections(set, Place { of, ..place }, level.saturating_add(1))
    }

    /// What a fragment costs where it is spread. What was found once is found for all spreads of
    /// the same kind, so that fragments of fragments take no more time than their text is long.
    fn spread(&mut self, name: &str, place: Place, level: u32) -> Result<Part, Fault> {
        let none = || Fault::NoFragment {
            fragment: name.to_owned(),
        };
        let (at, fragment) = self.fragments.get(name).ok_or_else(none)?;
        let place = Place {
            of: self.gauge.schema.type_named(fragment.condition),
            ..place
        };
        match self.memo.progress(at, place.kind, place.sized) {
            Some(Progress::Known(part)) => return Ok(part),
            Some(Progress::Begun) => {
                return Err(Fault::Cycle {
                    fragment: name.to_owned(),
                });
            }
            None => {}
        }
        self.memo.set(at, place.kind, place.sized, Progress::Begun);
        let part = self.selections(fragment.set, place, level.saturating_add(1))?;
        self.memo
            .set(at, place.kind, place.sized, Progress::Known(part));
        Ok(part)
    }

    /// What one object adds to the type cost, in thousandths.
    fn object_weight(&self, of: Option<TypeId>, composite: bool) -> u64 {
        match of {
            Some(of) => self.gauge.schema.object_weight(of).thousandths(),
            None if composite => super::weight::Weight::ONE.thousandths(),
            None => 0,
        }
    }
}

/// Whether a literal `@skip(if: true)` or `@include(if: false)` leaves it out. What variables say
/// is not believed: the query has to be affordable either way.
fn is_left_out(directives: Option<&VariableDirectives<'_>>) -> bool {
    let Some(directives) = directives else {
        return false;
    };
    let mut found = false;
    for directive in directives.iter() {
        found |= match directive.name().as_str() {
            "skip" => has_if(directive, true),
            "include" => has_if(directive, false),
            _ => false,
        };
    }
    found
}

/// Whether a directive's argument `if` is this, literally.
fn has_if(directive: &VariableDirective<'_>, wanted: bool) -> bool {
    let Some(arguments) = directive.arguments() else {
        return false;
    };
    let mut found = false;
    for argument in arguments.iter() {
        let value = argument.value().as_ref();
        found |= argument.name().as_str() == "if"
            && matches!(value, ValueReference::Boolean(set) if set == wanted);
    }
    found
}
