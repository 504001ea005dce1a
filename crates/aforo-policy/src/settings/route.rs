//! Routes, groups, and how paths are compared.

use std::sync::Arc;

use super::{CostFrom, Policy};
use crate::Template;

/// Methods and path templates with a cost and policies of its own.
#[derive(Debug)]
pub struct Route {
    /// Methods and templates; the first template names the route.
    pub matches: Vec<(Methods, Template)>,
    /// Units that one request takes.
    pub cost: u64,
    /// What the cost is read from, where requests of the route do not all cost the same.
    pub cost_from: Option<CostFrom>,
    /// Its own policies.
    pub policies: Vec<Arc<Policy>>,
    /// Not counted at all.
    pub exempt: bool,
    /// The plans that may use it; empty: all.
    pub plans: Vec<String>,
}

/// A set of routes by pattern.
#[derive(Debug)]
pub struct Group {
    /// Methods and templates.
    pub matches: Vec<(Methods, Template)>,
    /// Its own policies.
    pub policies: Vec<Arc<Policy>>,
}

/// The methods of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Methods {
    /// Any method.
    #[default]
    Any,
    /// These; GET takes HEAD with it.
    Only(Vec<http::Method>),
}

/// How paths are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Whether `/A` and `/a` differ.
    pub case_sensitive: bool,
    /// Whether `/a/` and `/a` differ.
    pub trailing_slash: TrailingSlash,
    /// What an encoded slash means.
    pub encoded_slash: EncodedSlash,
}

/// Whether a trailing slash makes another path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrailingSlash {
    /// It does.
    #[default]
    Strict,
    /// It does not.
    Ignore,
}

/// What `%2f`, `%5c`, `%00` and `\` in a path mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EncodedSlash {
    /// 400.
    #[default]
    Reject,
    /// They stay as they are.
    Keep,
}

impl Default for Paths {
    fn default() -> Self {
        Self {
            case_sensitive: true,
            trailing_slash: TrailingSlash::Strict,
            encoded_slash: EncodedSlash::Reject,
        }
    }
}
