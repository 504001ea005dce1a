//! Values of fields that last as long as the process.
//!
//! Every clone of a value counts itself where all threads see it, and so does every drop; one that
//! lasts is only pointed at. What a policy says of itself goes out with every response.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use ::http::HeaderValue;

/// How many bytes of values last at most. They are the texts of policies that an operator wrote,
/// each once however often it is read again.
const MOST_BYTES: usize = 256 * 1024;

static VALUES: LazyLock<Mutex<Values>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Values {
    texts: HashSet<&'static str>,
    bytes: usize,
}

/// The same value as one that lasts, as long as there is room for it. Nobody is waited for: a value
/// stays as it is while another thread looks.
pub(super) fn lasting(value: HeaderValue) -> HeaderValue {
    let Ok(text) = value.to_str() else {
        return value;
    };
    let Ok(mut values) = VALUES.try_lock() else {
        return value;
    };
    values.of(text).map_or(value, HeaderValue::from_static)
}

impl Values {
    fn of(&mut self, text: &str) -> Option<&'static str> {
        if let Some(known) = self.texts.get(text) {
            return Some(known);
        }
        let bytes = self.bytes.saturating_add(text.len());
        if bytes > MOST_BYTES {
            return None;
        }
        self.bytes = bytes;
        let text: &'static str = Box::leak(text.into());
        self.texts.insert(text);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_lasts_once_and_says_the_same() {
        let mut values = Values::default();
        let first = values.of("pro;w=60").unwrap();
        assert_eq!(first, "pro;w=60");
        assert!(std::ptr::eq(values.of("pro;w=60").unwrap(), first));
        assert_eq!(values.bytes, 8);
        let value = HeaderValue::from_static("\"a\";q=1");
        assert_eq!(lasting(value.clone()), value);
    }

    #[test]
    fn there_is_an_end_to_what_lasts() {
        let mut values = Values::default();
        for number in 0.. {
            if values.of(&format!("{number:01000}")).is_none() {
                break;
            }
        }
        assert_eq!(values.texts.len(), MOST_BYTES / 1000);
        assert!(values.of(&format!("{:01000}", 7)).is_some(), "it lasts");
        assert!(values.of("short").is_some(), "there is room for this");
    }

    #[test]
    fn what_is_no_text_stays_as_it_is() {
        let value = HeaderValue::from_bytes(b"caf\xe9").unwrap();
        assert_eq!(lasting(value.clone()), value);
    }
}
