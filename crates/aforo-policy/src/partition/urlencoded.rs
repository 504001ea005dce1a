//! Fields of a query or a form (`application/x-www-form-urlencoded`, URL Standard).

use super::Bytes;
use crate::path::hex_pair;

/// A field that is there more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Twice;

/// The decoded value of the field `name`, in any spelling of the name.
pub(crate) fn field(input: &[u8], name: &str) -> Result<Option<Bytes>, Twice> {
    let mut found = None;
    for pair in input.split(|byte| *byte == b'&') {
        let mut halves = pair.splitn(2, |byte| *byte == b'=');
        let (spelled, value) = (halves.next().unwrap_or_default(), halves.next());
        if !decoded(spelled, true).eq(name.bytes()) {
            continue;
        }
        if found.is_some() {
            return Err(Twice);
        }
        found = Some(decoded(value.unwrap_or_default(), true).collect());
    }
    Ok(found)
}

/// The bytes that a percent-encoded text stands for. What is no percent-encoding stands for
/// itself; `+` is a space in forms and queries.
pub(super) fn decoded(text: &[u8], plus_is_space: bool) -> impl Iterator<Item = u8> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (first, after) = rest.split_first()?;
        let pair = match after {
            [high, low, ..] if *first == b'%' => hex_pair(Some(*high), Some(*low)),
            _ => None,
        };
        rest = match pair {
            Some(_) => after.get(2..).unwrap_or_default(),
            None => after,
        };
        Some(match pair {
            Some(byte) => byte,
            None if *first == b'+' && plus_is_space => b' ',
            None => *first,
        })
    })
}
