//! The operations of an HTTP request.

use super::fault::Fault;
use super::gauge::Gauge;
use super::operation::Operation;
use crate::Facts;
use crate::partition::essence;

impl Gauge {
    /// What an HTTP request costs. A body that was not read, like a request that asks for nothing,
    /// costs 1.
    ///
    /// # Errors
    /// A [`Fault`]: the request is to be refused before it is executed.
    pub(crate) fn price(&self, facts: &Facts<'_>) -> Result<u64, Fault> {
        let operations = operations(facts)?;
        self.operations(&operations).map(|cost| cost.units)
    }
}

/// The operations in a body, or without one in the parameters. Where both say something, servers
/// differ in what they take from where.
fn operations<'f>(facts: &Facts<'f>) -> Result<Vec<Operation<'f>>, Fault> {
    let parameters = facts.query.unwrap_or_default();
    let body = facts
        .body
        .map(|body| body.bytes)
        .filter(|body| !body.is_empty());
    let Some(body) = body else {
        return Ok(Operation::of_parameters(parameters)?.into_iter().collect());
    };
    if Operation::is_in_parameters(parameters) {
        return Err(Fault::Malformed(
            "an operation is either in the body or in the parameters".to_owned(),
        ));
    }
    let essence = essence(facts.headers).ok_or(Fault::MediaType)?;
    if essence.eq_ignore_ascii_case("application/json") {
        return Operation::of_json(body);
    }
    if essence.eq_ignore_ascii_case("application/graphql") {
        let text = std::str::from_utf8(body).map_err(|_| Fault::MediaType)?;
        return Ok(vec![Operation::of_query(text)]);
    }
    Err(Fault::MediaType)
}
