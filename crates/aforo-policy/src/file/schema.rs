//! The JSON Schema of the file, for editors.

use schemars::generate::SchemaSettings;

use super::raw::RawFile;

/// The JSON Schema (draft 2020-12) of the file. Editors read it to complete and explain fields;
/// what the file means beyond its structure is checked by `Settings::parse`.
pub fn schema() -> serde_json::Value {
    let mut schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<RawFile>();
    schema.insert("title".to_owned(), "The aforo file".into());
    schema.to_value()
}
