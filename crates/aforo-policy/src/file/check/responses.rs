//! `[responses]`.

use super::Checker;
use crate::file::raw::{BodyWord, RawBody, RawResponses};
use crate::{Body, FieldFamily, Responses};

impl Checker<'_> {
    pub(super) fn responses(&mut self) -> Responses {
        let default = Responses::default();
        let Some(raw) = self.file.responses.get() else {
            return default;
        };
        Responses {
            fields: self.fields(raw).unwrap_or(default.fields),
            ratelimit_draft: raw
                .ratelimit_draft
                .get()
                .map_or(default.ratelimit_draft, |draft| draft.0),
            upstream_fields: raw
                .upstream_fields
                .get()
                .map_or(default.upstream_fields, |choice| choice.value),
            body: match raw.body.get() {
                None => default.body,
                Some(RawBody::Template(template)) => Body::Template(template.value.clone()),
                Some(RawBody::Word(word)) => match word.value {
                    BodyWord::Problem => Body::Problem,
                    BodyWord::Classic => Body::Classic,
                },
            },
            language: raw
                .language
                .get()
                .map_or(default.language, |choice| choice.value),
            documentation_url: self.url(&raw.documentation_url),
            retry_after: raw
                .retry_after
                .get()
                .map_or(default.retry_after, |choice| choice.value),
            retry_jitter: self
                .length(&raw.retry_jitter)
                .unwrap_or(default.retry_jitter),
        }
    }

    fn fields(&mut self, raw: &RawResponses) -> Option<Vec<FieldFamily>> {
        let list = raw.fields.get()?;
        let mut fields = Vec::new();
        for choice in list.iter() {
            if fields.contains(&choice.value) {
                self.findings.add(choice.at, "this family is here twice");
            }
            fields.push(choice.value);
        }
        Some(fields)
    }
}
