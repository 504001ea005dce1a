//! Secrets: `{ env = "NAME" }` or `{ file = "PATH" }`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use toml::de::DeValue;

use crate::Secret;
use crate::file::read::{Node, Read, Reader, Text};
use crate::file::table::table;

table! {
    /// Where a secret is: one of the two.
    RawSecret {
        /// The name of an environment variable that holds the secret.
        optional env: Text,
        /// The path of a file that holds the secret.
        optional file: Text,
    }
}

impl Read for Secret {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        if matches!(node.value, DeValue::String(_)) {
            // The value is not shown: it may be the secret.
            reader
                .findings
                .add(node.at, "a secret is never written into the file")
                .expected("{ env = \"NAME\" } or { file = \"PATH\" }");
            return None;
        }
        let raw = RawSecret::read(node, reader)?;
        match (raw.env.get(), raw.file.get()) {
            (Some(name), None) if raw.file.is_absent() => Some(Self::Variable(name.value.clone())),
            (None, Some(path)) if raw.env.is_absent() => {
                Some(Self::File(path.value.clone().into()))
            }
            _ if raw.env.is_wrong() || raw.file.is_wrong() => None,
            _ => {
                reader
                    .findings
                    .add(node.at, "a secret is in one place")
                    .expected("{ env = \"NAME\" } or { file = \"PATH\" }");
                None
            }
        }
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<RawSecret>()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use toml::de::DeTable;

    use super::*;
    use crate::file::Environment;
    use crate::file::findings::Findings;
    use crate::file::source::Location;

    struct Nothing;

    impl Environment for Nothing {
        fn variable(&self, _: &str) -> Option<String> {
            None
        }
        fn read(&self, _: &Path) -> std::io::Result<String> {
            Err(std::io::ErrorKind::NotFound.into())
        }
    }

    /// The secret of `token = ...`, and how many errors there were.
    fn secret(text: &str) -> (Option<Secret>, usize) {
        let text = format!("token = {text}");
        let document = DeTable::parse(&text).unwrap();
        let value = document.get_ref().get("token").unwrap().get_ref();
        let mut findings = Findings::default();
        let mut reader = Reader {
            file: 0,
            folder: Path::new(""),
            text: &text,
            environment: &Nothing,
            findings: &mut findings,
        };
        let at = Location::default();
        let secret = Secret::read(Node { value, at }, &mut reader);
        (secret, findings.len())
    }

    #[test]
    fn a_secret_is_in_the_environment_or_in_a_file() {
        let variable = Secret::Variable("TOKEN".to_owned());
        assert_eq!(secret("{ env = \"TOKEN\" }"), (Some(variable), 0));
        let file = Secret::File("/run/token".into());
        assert_eq!(secret("{ file = \"/run/token\" }"), (Some(file), 0));
        for wrong in [
            "\"hunter2\"",
            "{}",
            "{ env = \"A\", file = \"b\" }",
            "{ env = 5 }",
            "{ enw = \"A\", file = \"b\" }",
            "7",
        ] {
            assert_eq!(secret(wrong).1, 1, "{wrong}");
        }
    }
}
