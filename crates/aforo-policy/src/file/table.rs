//! A raw table: its fields, how it is read, and its schema, all from one list of fields.

/// Defines the raw type of a table. Each field has its documentation (editors show it), whether
/// it is `required` or `optional`, its name in the file and its type. Fields under `later` belong
/// to the contract and are refused as not available yet.
macro_rules! table {
    (
        $(#[doc = $about:literal])*
        $name:ident {
            $( $(#[doc = $doc:literal])* $need:ident $field:ident: $type:ty, )*
        }
        $( later { $( $later:literal ),* $(,)? } )?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        pub(in crate::file) struct $name {
            /// Where the table is.
            pub(in crate::file) place: $crate::file::source::Location,
            $( $(#[doc = $doc])* pub(in crate::file) $field: $crate::file::read::Field<$type>, )*
        }

        impl $name {
            const FIELDS: &'static [&'static str] =
                &[$( $crate::file::table::field_name(stringify!($field)) ),*];
            const LATER: &'static [&'static str] = &[$($( $later ),*)?];
        }

        impl $crate::file::table::Table for $name {
            fn place(&self) -> $crate::file::source::Location {
                self.place
            }
        }

        impl $crate::file::read::Read for $name {
            fn read(
                node: $crate::file::read::Node<'_>,
                reader: &mut $crate::file::read::Reader<'_>,
            ) -> Option<Self> {
                let table = reader.table(node)?;
                let mut read = Self {
                    place: node.at,
                    $( $field: $crate::file::read::Field::Absent, )*
                };
                let mut waits = false;
                for (key, value) in reader.entries(table) {
                    let name = key.value.as_str();
                    $(
                        if name == $crate::file::table::field_name(stringify!($field)) {
                            read.$field = $crate::file::read::Field::read(value, reader);
                            continue;
                        }
                    )*
                    if Self::LATER.contains(&name) {
                        reader.findings.later(key.at, name);
                        waits = true;
                    } else {
                        reader.unknown(&key, Self::FIELDS);
                    }
                }
                // A field that is not available yet may stand for the required one.
                if !waits {
                    $( $crate::file::table::$need(
                        &mut read.$field,
                        $crate::file::table::field_name(stringify!($field)),
                        node.at,
                        reader,
                    ); )*
                }
                Some(read)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut fields = serde_json::Map::new();
                let mut required: Vec<&str> = Vec::new();
                $(
                    let name = $crate::file::table::field_name(stringify!($field));
                    let mut schema = generator.subschema_for::<$type>();
                    schema.insert(
                        "description".to_owned(),
                        $crate::file::table::prose(&[$($doc),*]).into(),
                    );
                    fields.insert(name.to_owned(), schema.into());
                    if stringify!($need) == "required" {
                        required.push(name);
                    }
                )*
                schemars::json_schema!({
                    "type": "object",
                    "description": $crate::file::table::prose(&[$($about),*]),
                    "properties": fields,
                    "required": required,
                    "additionalProperties": false,
                })
            }
        }
    };
}

/// Defines how a settings enum is written: its words and what each means. Words after `later`
/// are refused as not available yet.
macro_rules! words {
    ($type:ty { $( $word:literal => $value:expr, $doc:literal; )* } $( later { $($later:literal),* } )?) => {
        impl $crate::file::raw::Word for $type {
            const WORDS: &'static [(&'static str, Self, &'static str)] =
                &[$( ($word, $value, $doc) ),*];
            const LATER: &'static [&'static str] = &[$($($later),*)?];
        }
    };
}

pub(in crate::file) use table;
pub(in crate::file) use words;

use super::read::{Field, Reader};
use super::source::Location;

/// A raw table.
pub(in crate::file) trait Table {
    /// Where it is.
    fn place(&self) -> Location;
}

/// A field's name in the file: `r#match` is `match`.
pub(in crate::file) const fn field_name(written: &'static str) -> &'static str {
    match written.as_bytes() {
        [b'r', b'#', ..] => written.split_at(2).1,
        _ => written,
    }
}

/// Documentation lines as one text; empty lines part paragraphs.
pub(in crate::file) fn prose(lines: &[&str]) -> String {
    let joined: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    joined.join("\n")
}

/// A field that must be there.
pub(in crate::file) fn required<T>(
    field: &mut Field<T>,
    name: &str,
    at: Location,
    reader: &mut Reader<'_>,
) {
    if field.is_absent() {
        reader
            .findings
            .add(at, format!("the field `{name}` is missing"));
        *field = Field::Wrong;
    }
}

/// A field that may be left out.
pub(in crate::file) fn optional<T>(_: &mut Field<T>, _: &str, _: Location, _: &mut Reader<'_>) {}
