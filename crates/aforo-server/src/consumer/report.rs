//! What a command says: tables and sentences for people, one JSON document for programs.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use serde_json::Value;

use crate::cli::Format;

pub(super) struct Report {
    pub(super) text: String,
    pub(super) json: Value,
}

impl Report {
    pub(super) fn written(self, format: Format) -> String {
        match format {
            Format::Text => self.text,
            Format::Json => format!("{:#}", self.json),
        }
    }
}

/// A document with one more field.
pub(super) fn with(mut document: Value, field: &str, value: impl Into<Value>) -> Value {
    if let Value::Object(fields) = &mut document {
        fields.insert(field.to_owned(), value.into());
    }
    document
}

/// A table with a head.
pub(super) fn table<const N: usize>(
    head: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head.map(str::to_uppercase));
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines = table.lines();
    lines
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// A text that may be missing.
pub(super) fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}
