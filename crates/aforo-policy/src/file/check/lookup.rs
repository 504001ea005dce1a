//! `lookup` in `[identity]`.

use super::Checker;
use crate::Lookups;
use crate::file::raw::RawLookup;
use crate::file::read::{Field, Text};

/// Entries that a cache may have.
const MOST_ENTRIES: u64 = 100_000_000;

impl Checker<'_> {
    pub(super) fn lookups(&mut self, field: &Field<RawLookup>) -> Lookups {
        let default = Lookups::default();
        let Some(raw) = field.get() else {
            return default;
        };
        if let (Some(_), None) = (raw.token.get(), raw.url.get())
            && raw.url.is_absent()
        {
            self.findings
                .add(raw.place, "a `token` for no `url`")
                .help("leave it out, or say where to ask");
        }
        Lookups {
            url: self.endpoint(&raw.url),
            token: raw.token.get().cloned(),
            timeout: self
                .positive_length(&raw.timeout)
                .unwrap_or(default.timeout),
            cache: self.positive_length(&raw.cache).unwrap_or(default.cache),
            cache_unknown: self
                .length(&raw.cache_unknown)
                .unwrap_or(default.cache_unknown),
            stale: self.length(&raw.stale).unwrap_or(default.stale),
            max_known: self
                .count(&raw.max_known, MOST_ENTRIES)
                .unwrap_or(default.max_known),
            max_unknown: self
                .count(&raw.max_unknown, MOST_ENTRIES)
                .unwrap_or(default.max_unknown),
            on_failure: raw
                .on_failure
                .get()
                .map_or(default.on_failure, |choice| choice.value),
        }
    }

    /// The address of an HTTP endpoint, without a password.
    pub(super) fn endpoint(&mut self, field: &Field<Text>) -> Option<http::Uri> {
        let text = field.get()?;
        let parsed = text.as_str().parse::<http::Uri>().ok();
        let right = parsed.filter(|uri| {
            let host = uri.authority().filter(|at| !at.as_str().contains('@'));
            matches!(uri.scheme_str(), Some("http" | "https")) && host.is_some()
        });
        if right.is_none() {
            self.findings
                .add(text.at, "this is not the address of an endpoint")
                .expected("http://HOST/PATH or https://HOST/PATH, without a password");
        }
        right
    }
}
