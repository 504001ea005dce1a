//! Limitador's conditions and variables, as far as they have an equivalent.

/// A condition on a descriptor's entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) key: String,
    pub(super) value: String,
    /// Whether the value is to be another one.
    pub(super) differs: bool,
}

/// `descriptors[0].KEY` or `descriptors[0]['KEY']`: the key.
pub(super) fn variable(text: &str) -> Option<String> {
    let rest = text.trim().strip_prefix("descriptors[0]")?;
    let key = match rest.strip_prefix('.') {
        Some(key) => key,
        None => {
            let inner = rest.strip_prefix('[')?.strip_suffix(']')?;
            return literal(inner.trim());
        }
    };
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    (!key.is_empty() && key.chars().all(is_name)).then(|| key.to_owned())
}

/// `VARIABLE == 'VALUE'` or `VARIABLE != 'VALUE'`.
pub(super) fn condition(text: &str) -> Option<Condition> {
    let (left, right, differs) = match text.split_once("==") {
        Some((left, right)) => (left, right, false),
        None => {
            let (left, right) = text.split_once("!=")?;
            (left, right, true)
        }
    };
    Some(Condition {
        key: variable(left)?,
        value: literal(right.trim())?,
        differs,
    })
}

/// A string in quotes, without escapes.
fn literal(text: &str) -> Option<String> {
    let quote = text
        .chars()
        .next()
        .filter(|quote| matches!(quote, '\'' | '"'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\'])).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values() {
        assert_eq!(
            variable("descriptors[0].user_id").as_deref(),
            Some("user_id")
        );
        assert_eq!(variable("descriptors[0]['a.b']").as_deref(), Some("a.b"));
        for other in [
            "user_id",
            "descriptors[1].a",
            "descriptors[0].a.b",
            "size(descriptors[0].a)",
        ] {
            assert_eq!(variable(other), None, "{other}");
        }
        let found = condition("descriptors[0].m == 'GET'").unwrap();
        assert_eq!(
            (found.key.as_str(), found.value.as_str(), found.differs),
            ("m", "GET", false)
        );
        assert!(condition("descriptors[0].m != \"GET\"").unwrap().differs);
        for other in [
            "descriptors[0].a == descriptors[0].b",
            "descriptors[0].a == 'b' || true",
            "descriptors[0].a == 'b\\'c'",
            "descriptors[0].a.startsWith('b')",
        ] {
            assert_eq!(condition(other), None, "{other}");
        }
    }
}
