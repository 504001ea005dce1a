//! What one field costs, with everything under it.

use bluejay_core::executable::Field as _;
use bluejay_parser::ast::executable::Field;

use super::{Kind, Part, Place, Walk, is_left_out};
use crate::graphql::cost::Sum;
use crate::graphql::fault::Fault;
use crate::graphql::gauge::Introspection;
use crate::graphql::schema::{self, Sizing};
use crate::graphql::weight::Weight;

/// How often an introspection may go from a type to other types: tools do once.
const MOST_CIRCLES: u32 = 2;

/// How many objects a field returns, and how many the lists right under it hold.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    own: u64,
    below: u64,
}

impl<'w> Walk<'w> {
    pub(super) fn field(
        &mut self,
        field: &'w Field<'w>,
        place: Place,
        level: u32,
    ) -> Result<Part, Fault> {
        if is_left_out(field.directives()) {
            return Ok(Part::default());
        }
        let name = field.name().as_str();
        if place.kind == Kind::Schema || matches!(name, "__schema" | "__type") {
            return self.introspection(field, place, level);
        }
        let schema = &self.gauge.schema;
        let known = place.of.and_then(|of| schema.field(of, name));
        let composite = known.map_or(field.selection_set().is_some(), |known| known.composite);
        let below = Place {
            of: known.map(|known| known.returns),
            kind: Kind::Object,
            sized: known.map_or(Sizing::Connection, sized_below),
        };
        let children = match field.selection_set() {
            Some(set) => self.selections(set, below, level.saturating_add(1))?,
            None => Part::default(),
        };
        let is_sized = is_sized_by(known, place, self.is_sized(place, name));
        let sizes = self.sizes(field, known, &children, is_sized)?;
        let once = Sum {
            field: self.weight(field, known, place.kind, composite),
            types: 0,
        };
        let object = Sum {
            field: 0,
            types: self.object_weight(below.of, composite),
        };
        let objects = object.plus(children.at(sizes.below)).times(sizes.own);
        let (plain, sized) = if is_sized {
            (once, objects)
        } else {
            (once.plus(objects), Sum::default())
        };
        Ok(Part {
            plain,
            sized,
            has_sized: is_sized,
            depth: children.depth.saturating_add(1),
            circles: children.circles,
        })
    }

    /// A field of the schema: 1 unit for each object as it stands. It is not deeper than itself,
    /// but must not go in circles, since the lists in it multiply.
    fn introspection(
        &mut self,
        field: &'w Field<'w>,
        place: Place,
        level: u32,
    ) -> Result<Part, Fault> {
        if self.gauge.introspection == Introspection::Deny {
            return Err(Fault::Introspection);
        }
        let below = Place {
            of: None,
            kind: Kind::Schema,
            sized: Sizing::Own,
        };
        let Some(set) = field.selection_set() else {
            return Ok(Part::default());
        };
        let children = self.selections(set, below, level.saturating_add(1))?;
        let name = field.name().as_str();
        let circle = matches!(
            name,
            "fields" | "inputFields" | "interfaces" | "possibleTypes"
        );
        let circles = children.circles.saturating_add(u32::from(circle));
        if circles > MOST_CIRCLES {
            return Err(Fault::IntrospectionCircle);
        }
        let one = Weight::ONE.thousandths();
        let own = Sum {
            field: one,
            types: one,
        };
        let begins = place.kind != Kind::Schema;
        Ok(Part {
            plain: own.plus(children.plain),
            depth: u32::from(begins),
            circles: if begins { 0 } else { circles },
            ..Part::default()
        })
    }

    fn is_sized(&self, place: Place, name: &str) -> bool {
        self.gauge.schema.is_sized(place.sized, name)
    }

    /// How many objects there are.
    fn sizes(
        &self,
        field: &'w Field<'w>,
        known: Option<&schema::Field>,
        children: &Part,
        is_sized: bool,
    ) -> Result<Sizes, Fault> {
        let said = self.said_size(field, known)?;
        let usual = self.gauge.list_size;
        let Some(known) = known else {
            // Without a type, a field with `edges` or `nodes` is a connection.
            let own = if children.has_sized { None } else { said };
            return Ok(Sizes {
                own: own.unwrap_or(1),
                below: said.unwrap_or(usual),
            });
        };
        let lists_others = known.sizes.iter().any(|size| size.sized != Sizing::Own);
        let own = match (known.lists, is_sized) {
            (0, _) => 1,
            (lists, false) => {
                let first = said.filter(|_| !lists_others).unwrap_or(usual);
                first.saturating_mul(usual.saturating_pow(lists.saturating_sub(1)))
            }
            (lists, true) => {
                let first = said.filter(|_| !lists_others).unwrap_or(1);
                first.saturating_mul(usual.saturating_pow(lists.saturating_sub(1)))
            }
        };
        let passes_on = lists_others || known.lists == 0;
        Ok(Sizes {
            own,
            below: said.filter(|_| passes_on).unwrap_or(usual),
        })
    }
}

/// Whose lists have the size that a field says.
fn sized_below(field: &schema::Field) -> Sizing {
    let mut sized = field.sizes.iter().map(|size| size.sized);
    sized
        .find(|sized| *sized != Sizing::Own)
        .unwrap_or(Sizing::Connection)
}

/// Whether the size that the field above says is this field's: by the convention, only that of a
/// list.
fn is_sized_by(known: Option<&schema::Field>, place: Place, named: bool) -> bool {
    named && (place.sized != Sizing::Connection || known.is_none_or(|known| known.lists > 0))
}
