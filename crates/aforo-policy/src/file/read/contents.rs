//! Files that a file names.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Node, Read, Reader, Text};

/// The text of a file, relative to the folder of the file that names it.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "graphql"),
    allow(dead_code, reason = "only GraphQL has such")
)]
pub(in crate::file) struct Contents {
    pub(in crate::file) path: Text,
    pub(in crate::file) text: String,
}

impl Read for Contents {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let path = Text::read(node, reader)?;
        match reader.environment.read(&reader.folder.join(path.as_str())) {
            Ok(text) => Some(Self { path, text }),
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", path.written);
                reader
                    .findings
                    .add(path.at, message)
                    .help("the path is relative to the folder of the file that names it");
                None
            }
        }
    }
}

impl JsonSchema for Contents {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Contents".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}
