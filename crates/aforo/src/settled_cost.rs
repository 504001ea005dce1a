//! What a response truly cost.

/// What a request truly cost, as an extension of its response: a handler that knows the cost only
/// afterwards (rows read, tokens generated) puts it there, and the charges are corrected to it.
///
/// The request's cost is reserved before the handler runs, so set the policy's `cost` to what a
/// usual request takes. A policy with a `cost` of its own keeps it. What exceeds a policy's capacity is taken up to the
/// capacity.
///
/// ```
/// use aforo::SettledCost;
/// let mut response = http::Response::new("42 rows");
/// response.extensions_mut().insert(SettledCost(42));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettledCost(pub u64);
