//! `[responses]`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

use super::choice::Choice;
use crate::file::read::{List, Node, Read, Reader, Text};
use crate::file::table::{table, words};
use crate::{Draft, FieldFamily, Language, RetryAfter, UpstreamFields};

table! {
    /// What callers are told.
    RawResponses {
        /// Which families of fields are sent. Default: both.
        optional fields: List<Choice<FieldFamily>>,
        /// The draft of the RateLimit fields: 11 (the default) or `"next"`.
        optional ratelimit_draft: RawDraft,
        /// What happens to fields that the upstream sends by itself.
        optional upstream_fields: Choice<UpstreamFields>,
        /// What the body of a denial is: `problem` (the default), `classic`, or
        /// `{ template = "..." }`.
        optional body: RawBody,
        /// The language of titles and details.
        optional language: Choice<Language>,
        /// Where callers read more; denials show it.
        optional documentation_url: Text,
        /// How Retry-After is written.
        optional retry_after: Choice<RetryAfter>,
        /// The most that is added to a wait, such as `2s`, so that callers do not come back all at
        /// once. Default: nothing.
        optional retry_jitter: Text,
    }
}

/// The draft of the RateLimit fields.
#[derive(Clone, Copy, Debug)]
pub(in crate::file) struct RawDraft(pub(in crate::file) Draft);

/// What the body of a denial is.
#[derive(Clone, Debug)]
pub(in crate::file) enum RawBody {
    Word(Choice<BodyWord>),
    Template(Text),
}

table! {
    /// A template for the body of a denial.
    RawTemplate {
        /// The body, with `{placeholders}`.
        required template: Text,
    }
}

/// What the body of a denial is, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum BodyWord {
    Problem,
    Classic,
}

words!(BodyWord {
    "problem" => Self::Problem, "`application/problem+json` (RFC 9457). The default.";
    "classic" => Self::Classic, "`{\"error\": {\"code\": \"RATE_LIMIT_EXCEEDED\", ...}}`.";
});

words!(FieldFamily {
    "x-ratelimit" => Self::XRateLimit, "`X-RateLimit-Limit`, `-Remaining`, `-Reset` and `-Policy`.";
    "ratelimit" => Self::RateLimit, "`RateLimit` and `RateLimit-Policy`.";
});

words!(UpstreamFields {
    "merge" => Self::Merge, "Lists are joined; of `X-RateLimit` the set with the fewest remaining is kept. The default.";
    "replace" => Self::Replace, "Only the gateway's own are sent.";
    "keep" => Self::Keep, "The upstream's are kept where it sent any.";
});

words!(Language {
    "auto" => Self::Auto, "What the caller's Accept-Language asks for. The default.";
    "en" => Self::English, "English.";
    "es" => Self::Spanish, "Spanish.";
});

words!(RetryAfter {
    "seconds" => Self::Seconds, "As seconds. The default.";
    "date" => Self::Date, "As an HTTP-date.";
});

impl Read for RawDraft {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            DeValue::Integer(integer) if integer.to_string() == "11" => Some(Self(Draft::Eleven)),
            DeValue::String(word) if word == "next" => Some(Self(Draft::Next)),
            _ => reader.mistyped(node, "11 or \"next\""),
        }
    }
}

impl Read for RawBody {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            DeValue::String(_) => Choice::read(node, reader).map(Self::Word),
            DeValue::Table(_) => {
                let table = RawTemplate::read(node, reader)?;
                table.template.get().cloned().map(Self::Template)
            }
            _ => reader.mistyped(node, "\"problem\", \"classic\", or { template = \"...\" }"),
        }
    }
}

impl JsonSchema for RawDraft {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RawDraft".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [11, "next"] })
    }
}

impl JsonSchema for RawBody {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RawBody".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let word = generator.subschema_for::<Choice<BodyWord>>();
        let template = generator.subschema_for::<RawTemplate>();
        json_schema!({ "anyOf": [word, template] })
    }
}
