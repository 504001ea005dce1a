//! What a token claims (RFC 7519, section 4).

use std::collections::BTreeMap;

use aforo_core::{Span, Timestamp};
use aforo_policy::Jwt;
use serde_json::{Map, Value};

use crate::identity::Found;

/// What a token claims. Its issuer and whom it is for were compared already.
pub(super) struct Claims {
    /// When it begins and ends, with the leeway.
    pub(super) begins: Option<Timestamp>,
    pub(super) ends: Timestamp,
    pub(super) found: Found,
    /// The claims that policies count by.
    pub(super) counted: BTreeMap<String, String>,
}

impl Claims {
    /// The claims of a token whose signature holds; `None` when it is not for us.
    pub(super) fn read<'c>(
        text: &[u8],
        jwt: &Jwt,
        counted: impl IntoIterator<Item = &'c str>,
    ) -> Option<Self> {
        let Value::Object(claims) = serde_json::from_slice(text).ok()? else {
            return None;
        };
        if claims.get("iss")?.as_str()? != jwt.issuer || !is_for(&claims, jwt) {
            return None;
        }
        let begins = match claims.get("nbf") {
            Some(nbf) => Some(before(instant(nbf)?, jwt.leeway)),
            None => None,
        };
        let ends = instant(claims.get("exp")?)?.plus(jwt.leeway);
        let subject = scalar(claims.get(&jwt.consumer)?)?;
        if subject.is_empty() {
            return None;
        }
        let named = |claim: &Option<String>| scalar(claims.get(claim.as_ref()?)?);
        let found = Found {
            plan: named(&jwt.plan),
            team: named(&jwt.team),
            org: named(&jwt.org),
            ..Found::new(format!("{}|{subject}", jwt.issuer))
        };
        let counted = counted.into_iter().filter_map(|claim| {
            let value = scalar(claims.get(claim)?)?;
            Some((claim.to_owned(), value))
        });
        Some(Self {
            begins,
            ends,
            found,
            counted: counted.collect(),
        })
    }
}

/// Whether one of the configured audiences is meant. A token that names audiences where none is
/// configured is for somebody else (RFC 7519, section 4.1.3).
fn is_for(claims: &Map<String, Value>, jwt: &Jwt) -> bool {
    let ours = |value: &Value| {
        let name = value.as_str();
        name.is_some_and(|name| jwt.audience.iter().any(|ours| ours == name))
    };
    match claims.get("aud") {
        None => jwt.audience.is_empty(),
        Some(Value::Array(names)) => names.iter().any(ours),
        Some(one) => ours(one),
    }
}

/// A string, a whole number or a truth value as text; empty ones and others are absent.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// A `NumericDate` (RFC 7519, section 2); seconds, perhaps with a fraction, which is cut.
fn instant(value: &Value) -> Option<Timestamp> {
    let seconds = match value.as_u64() {
        Some(seconds) => seconds,
        // Negative ones and those beyond any calendar are not for now.
        None => value.as_f64().filter(|at| (0.0..1e18).contains(at))? as u64,
    };
    // Beyond what a timestamp holds it never comes.
    Some(Timestamp::from_micros(seconds.saturating_mul(1_000_000)))
}

fn before(at: Timestamp, span: Span) -> Timestamp {
    Timestamp::from_micros(at.as_micros().saturating_sub(span.as_micros()))
}
