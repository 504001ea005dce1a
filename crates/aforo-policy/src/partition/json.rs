//! One value of a JSON body, by its JSON pointer (RFC 6901).

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What stands at a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing, or null.
    Nothing,
    /// A text, number or boolean as text. `1`, `1.0` and `"1"` are the same.
    Text(String),
    /// An array of so many items.
    Array(u64),
    /// An object.
    Object,
    /// A member on the way is there more than once, so that the answer depends on the reader.
    Twice,
}

/// A body that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson;

/// What stands at `pointer` in a JSON body. The whole body has to be JSON in UTF-8.
pub(super) fn at_pointer(body: &[u8], pointer: &str) -> Result<Found, NotJson> {
    let text = std::str::from_utf8(body).map_err(|_| NotJson)?;
    let tokens = pointer.strip_prefix('/').map(unescaped).unwrap_or_default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let found = Seek(&tokens)
        .deserialize(&mut reader)
        .map_err(|_| NotJson)?;
    reader.end().map_err(|_| NotJson)?;
    Ok(found)
}

/// The pointer's tokens: `~1` is `/`, `~0` is `~`.
fn unescaped(tokens: &str) -> Vec<String> {
    let token = |token: &str| token.replace("~1", "/").replace("~0", "~");
    tokens.split('/').map(token).collect()
}

/// Reads a value and follows the tokens that are left.
struct Seek<'t>(&'t [String]);

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Seek<'_> {
    /// A scalar: the answer at the pointer's end, a dead end before.
    fn scalar(&self, text: impl FnOnce() -> String) -> Found {
        if self.0.is_empty() {
            Found::Text(text())
        } else {
            Found::Nothing
        }
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Found, E> {
        Ok(self.scalar(|| value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Found, E> {
        Ok(self.scalar(|| value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Found, E> {
        Ok(self.scalar(|| value.to_string()))
    }

    /// A whole number is written without a fraction.
    fn visit_f64<E>(self, value: f64) -> Result<Found, E> {
        let positive = if value == 0.0 { 0.0 } else { value };
        Ok(self.scalar(|| positive.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Found, E> {
        Ok(self.scalar(|| value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let Some((token, rest)) = self.0.split_first() else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Found::Object);
        };
        let mut found = None;
        while let Some(wanted) = map.next_key_seed(Is(token))? {
            if !wanted {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let here = map.next_value_seed(Seek(rest))?;
            found = Some(match found {
                None => here,
                Some(_) => Found::Twice,
            });
        }
        Ok(found.unwrap_or(Found::Nothing))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found, A::Error> {
        let Some((token, rest)) = self.0.split_first() else {
            let mut items = 0_u64;
            while seq.next_element::<IgnoredAny>()?.is_some() {
                items = items.saturating_add(1);
            }
            return Ok(Found::Array(items));
        };
        let wanted = index(token);
        let mut found = Found::Nothing;
        for at in 0_usize.. {
            let more = if Some(at) == wanted {
                let element = seq.next_element_seed(Seek(rest))?;
                element.map(|element| found = element).is_some()
            } else {
                seq.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                break;
            }
        }
        Ok(found)
    }
}

/// The index that a token is: digits without leading zeros.
fn index(token: &str) -> Option<usize> {
    let digits = token.bytes().all(|byte| byte.is_ascii_digit());
    let plain = digits && (token == "0" || !token.starts_with('0'));
    plain.then(|| token.parse().ok()).flatten()
}

/// Whether a member's name is this one, without keeping it.
struct Is<'t>(&'t str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}
