//! What GraphQL requests cost.

use bluejay_core::executable::OperationDefinition as _;
use bluejay_parser::Error as ParserError;
use bluejay_parser::ast::executable::{ExecutableDocument, OperationDefinition};
use bluejay_parser::ast::{Parse, ParseOptions};
use serde_json::{Map, Value};

use super::cost::{Cost, Measure};
use super::fault::Fault;
use super::operation::Operation;
use super::persisted::Registered;
use super::schema::{Schema, SdlError, Weights, WeightsError};
use super::values::Variables;
use super::walk::{Fragments, MOST_STEPS, Walk};

/// The most tokens of a request: more than the largest queries of real clients by far.
const MOST_TOKENS: u32 = 20_000;

/// How deep the parser goes: about three steps for each level of fields.
const PARSER_DEPTH: usize = 320;

/// What GraphQL requests cost, and how much they may.
///
/// ```
/// use aforo_policy::graphql::{Gauge, Operation};
///
/// let gauge = Gauge::default();
/// let operation = Operation::of_query("{ a: hero { name } b: hero { name } }");
/// let cost = gauge.operations(&[operation])?;
/// assert_eq!((cost.units, cost.depth), (3, 2));
/// # Ok::<(), aforo_policy::graphql::Fault>(())
/// ```
#[derive(Debug)]
pub struct Gauge {
    pub(super) schema: Schema,
    pub(super) list_size: u64,
    pub(super) list_arguments: Vec<String>,
    pub(super) introspection: Introspection,
    pub(super) measure: Measure,
    pub(super) max_depth: Option<u32>,
    pub(super) max_cost: Option<u64>,
    pub(super) registered: Registered,
    pub(super) persisted_cost: u64,
}

/// A gauge is itself and no other: what it holds is not compared.
impl PartialEq for Gauge {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Gauge {}

/// What becomes of queries for the schema itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Introspection {
    /// They cost 1 unit for each object as it stands in the query.
    #[default]
    Allow,
    /// They are refused.
    Deny,
}

impl Default for Gauge {
    fn default() -> Self {
        Self {
            schema: Schema::default(),
            list_size: 10,
            list_arguments: ["first", "last", "limit", "take", "pageSize", "perPage"]
                .map(str::to_owned)
                .into(),
            introspection: Introspection::Allow,
            measure: Measure::Greater,
            max_depth: None,
            max_cost: None,
            registered: Registered::default(),
            persisted_cost: 10,
        }
    }
}

impl Gauge {
    /// Fields by their shape, with weights.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self {
            schema: Schema::untyped(weights),
            ..self
        }
    }

    /// Fields by their types in an SDL file, with weights that go before those of the file.
    ///
    /// # Errors
    /// An SDL file that cannot be used.
    pub fn with_sdl(self, sdl: &str, weights: Weights) -> Result<Self, SdlError> {
        Ok(Self {
            schema: Schema::read(sdl, weights)?,
            ..self
        })
    }

    /// Whether a weight's name is of something that can be told from the others.
    ///
    /// # Errors
    /// What the schema does not have, or what cannot be known without one.
    pub fn check_weight(&self, name: &str) -> Result<(), WeightsError> {
        self.schema.check_weight(name)
    }

    /// Whether types are known.
    pub(crate) fn is_typed(&self) -> bool {
        self.schema.is_typed()
    }

    /// How many items a list has of which nothing else is known. Default: 10.
    #[must_use]
    pub fn with_list_size(self, list_size: u64) -> Self {
        Self { list_size, ..self }
    }

    /// The arguments that say how many a field returns where no `@listSize` does. Default:
    /// `first`, `last`, `limit`, `take`, `pageSize`, `perPage`.
    #[must_use]
    pub fn with_list_arguments(self, list_arguments: Vec<String>) -> Self {
        Self {
            list_arguments,
            ..self
        }
    }

    /// What becomes of queries for the schema itself. Default: allowed.
    #[must_use]
    pub fn with_introspection(self, introspection: Introspection) -> Self {
        Self {
            introspection,
            ..self
        }
    }

    /// Which cost counts. Default: the greater of field and type cost.
    #[must_use]
    pub fn with_measure(self, measure: Measure) -> Self {
        Self { measure, ..self }
    }

    /// The deepest that fields may be nested. Default: no bound but the parser's.
    #[must_use]
    pub fn with_max_depth(self, max_depth: u32) -> Self {
        Self {
            max_depth: Some(max_depth),
            ..self
        }
    }

    /// The most that a request may cost, all its operations together. Default: no bound.
    #[must_use]
    pub fn with_max_cost(self, max_cost: u64) -> Self {
        Self {
            max_cost: Some(max_cost),
            ..self
        }
    }

    /// Texts of persisted queries by their hash or id.
    #[must_use]
    pub fn with_registered(self, registered: Registered) -> Self {
        Self { registered, ..self }
    }

    /// What a persisted query costs whose text is not registered. Default: 10.
    #[must_use]
    pub fn with_persisted_cost(self, persisted_cost: u64) -> Self {
        Self {
            persisted_cost,
            ..self
        }
    }

    /// What a persisted query costs whose text is not registered.
    pub const fn persisted_cost(&self) -> u64 {
        self.persisted_cost
    }

    /// What a request costs: the sum of its operations. A request without any costs 1.
    ///
    /// # Errors
    /// A [`Fault`]: the request is to be refused before it is executed.
    pub fn operations(&self, operations: &[Operation<'_>]) -> Result<Cost, Fault> {
        let mut left = Left {
            tokens: MOST_TOKENS,
            steps: MOST_STEPS,
        };
        let mut sum: Option<Cost> = None;
        for operation in operations {
            let cost = self.operation(operation, &mut left)?;
            sum = Some(sum.map_or(cost, |sum| sum.and(cost)));
        }
        let cost = sum.unwrap_or_else(|| Cost::set(1));
        match (self.max_depth, self.max_cost) {
            (Some(most), _) if cost.depth > most => Err(Fault::MaxDepth {
                depth: cost.depth,
                most,
            }),
            (_, Some(most)) if cost.units > most => Err(Fault::MaxCost {
                cost: cost.units,
                most,
            }),
            _ => Ok(cost),
        }
    }

    fn operation(&self, operation: &Operation<'_>, left: &mut Left) -> Result<Cost, Fault> {
        let registered = operation.id.as_deref().map(|id| self.registered.get(id));
        let text = match (&operation.query, registered) {
            (Some(query), _) => query.as_ref(),
            (None, Some(Some(text))) => text,
            (None, _) => return Ok(Cost::set(self.persisted_cost)),
        };
        let name = operation.name.as_deref();
        self.document(text, name, operation.variables.as_ref(), left)
    }

    /// What a document's operation costs; the dearest where it is not told which one.
    fn document(
        &self,
        text: &str,
        name: Option<&str>,
        variables: Option<&Map<String, Value>>,
        left: &mut Left,
    ) -> Result<Cost, Fault> {
        let options = ParseOptions {
            graphql_ruby_compatibility: false,
            max_depth: PARSER_DEPTH,
            max_tokens: Some(usize::try_from(left.tokens).unwrap_or(usize::MAX)),
        };
        let parsed = ExecutableDocument::parse_with_options(text, options);
        let used = u32::try_from(parsed.token_count).unwrap_or(u32::MAX);
        let document = match parsed.result {
            Ok(document) => document,
            Err(_) if used > left.tokens => {
                return Err(Fault::TooLarge {
                    what: "tokens",
                    most: MOST_TOKENS,
                });
            }
            Err(errors) => return Err(syntax(text, errors)),
        };
        left.tokens = left.tokens.saturating_sub(used);
        let fragments = Fragments::of(&document)?;
        let is_meant = |one: &&OperationDefinition<'_>| one.as_ref().name() == name;
        let all = document.operation_definitions();
        let meant = name.and_then(|_| all.iter().find(is_meant));
        let mut dearest: Option<Cost> = None;
        for one in all {
            if meant.is_some() && one.as_ref().name() != name {
                continue;
            }
            let operation = one.as_ref();
            let variables = Variables::new(variables, operation.variable_definitions());
            let mut walk = Walk::new(self, &fragments, &variables, &mut left.steps);
            let set = operation.selection_set();
            let (sum, depth) = walk.operation(operation.operation_type(), set)?;
            let cost = Cost::of(sum, depth, self.measure);
            dearest = Some(dearest.map_or(cost, |dearest| dearest.or(cost)));
        }
        dearest.ok_or_else(|| Fault::Malformed("the document has no operation".to_owned()))
    }
}

/// What a request may still have.
struct Left {
    tokens: u32,
    steps: u32,
}

/// The first of the parser's errors. The parser's own bound is told as one of ours.
fn syntax(text: &str, errors: Vec<ParserError>) -> Fault {
    let too_deep = |error: &ParserError| error.message() == "Max depth exceeded";
    if errors.iter().any(too_deep) {
        return Fault::TooLarge {
            what: "levels",
            most: super::walk::MOST_LEVELS,
        };
    }
    let first: Vec<ParserError> = errors.into_iter().take(1).collect();
    let errors = ParserError::into_graphql_errors(text, first);
    let error = errors.into_iter().next();
    let place = error.as_ref().and_then(|error| error.locations.first());
    Fault::Syntax {
        line: place.map_or(1, |place| place.line),
        column: place.map_or(1, |place| place.col),
        message: error
            .map_or("Not a GraphQL document".into(), |error| error.message)
            .into_owned(),
    }
}
