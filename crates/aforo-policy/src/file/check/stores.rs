//! `[stores]`, and lengths of time and counts anywhere.

use std::collections::BTreeMap;

use aforo_core::{PolicyName, Span};

use super::Checker;
use crate::file::length;
use crate::file::raw::RawStore;
use crate::file::read::{Field, Located, Text};
use crate::{StoreSettings, StoreUrl, StoreUrlError};

impl Checker<'_> {
    /// The stores; `default` is always there.
    pub(super) fn stores(&mut self) -> BTreeMap<String, StoreSettings> {
        let file = self.file;
        let mut stores = BTreeMap::new();
        for (name, raw) in file.stores.get().into_iter().flat_map(|stores| &stores.0) {
            self.check_name("store", name);
            if let Some(store) = self.store(raw) {
                stores.insert(name.value.clone(), store);
            }
        }
        self.check_hash_key_files();
        stores.entry("default".to_owned()).or_default();
        stores
    }

    /// Whether a store of that name is in the file, right or wrong.
    pub(super) fn has_store(&self, name: &str) -> bool {
        let stores = self.file.stores.get();
        stores.is_some_and(|stores| stores.0.iter().any(|(known, _)| known.value == name))
    }

    fn store(&mut self, raw: &RawStore) -> Option<StoreSettings> {
        let default = StoreSettings::default();
        let url = raw.url.get()?;
        let url = self.store_url(url);
        let namespace = self.namespace(&raw.namespace);
        let settings = StoreSettings {
            url: url.clone().unwrap_or_else(StoreUrl::memory),
            namespace: namespace.unwrap_or(default.namespace),
            hash_key_file: raw
                .hash_key_file
                .get()
                .map(|path| path.value.clone().into()),
            timeout: self
                .positive_length(&raw.timeout)
                .unwrap_or(default.timeout),
            on_store_failure: raw
                .on_store_failure
                .get()
                .map(|choice| choice.value)
                .unwrap_or_default(),
            instances: self.count(&raw.instances, u64::from(u32::MAX)),
            max_keys: self
                .count(&raw.max_keys, 1 << 32)
                .unwrap_or(default.max_keys),
            max_log_entries: self
                .count(&raw.max_log_entries, 1 << 32)
                .unwrap_or(default.max_log_entries),
        };
        url.map(|_| settings)
    }

    /// The address of a store.
    pub(super) fn store_url(&mut self, text: &Text) -> Option<StoreUrl> {
        match text.as_str().parse() {
            Ok(url) => Some(url),
            Err(StoreUrlError {
                problem,
                expected,
                nearest,
            }) => {
                let fault = self.findings.add(text.at, text.told(problem));
                fault.expected(expected);
                if let Some(nearest) = nearest.filter(|_| text.value == text.written) {
                    fault.help(format!("did you mean `{nearest}`?"));
                }
                None
            }
        }
    }

    /// What every name in a store starts with.
    fn namespace(&mut self, field: &Field<Text>) -> Option<String> {
        let text = field.get()?;
        if PolicyName::new(text.as_str()).is_err() {
            self.findings
                .add(
                    text.at,
                    text.told(format!("`{}` is no namespace", text.written)),
                )
                .expected("1 to 64 of a-z, 0-9, `.`, `_` and `-`");
        }
        Some(text.value.clone())
    }

    /// One secret hashes all partition keys, so it is in one file.
    fn check_hash_key_files(&mut self) {
        let file = self.file;
        let stores = file.stores.get().into_iter().flat_map(|stores| &stores.0);
        let mut files = stores.filter_map(|(_, raw)| raw.hash_key_file.get());
        let Some(first) = files.next() else { return };
        for other in files.filter(|other| other.value != first.value) {
            self.findings
                .add(
                    other.at,
                    "another hash_key_file than that of a store before",
                )
                .expected("one file: one secret hashes the partition keys of all stores")
                .also(first.at, "the first is here");
        }
    }

    /// A length of time.
    pub(super) fn length(&mut self, field: &Field<Text>) -> Option<Span> {
        let text = field.get()?;
        match length::parse(text.as_str()) {
            Ok(span) => Some(span),
            Err(error) => {
                self.findings
                    .add(text.at, text.told(error.0))
                    .expected("an integer and ms, s, min, h or d, such as 50ms or 30s");
                None
            }
        }
    }

    /// A length of time that is not zero.
    pub(super) fn positive_length(&mut self, field: &Field<Text>) -> Option<Span> {
        let span = self.length(field)?;
        if let (true, Some(text)) = (span.is_zero(), field.get()) {
            self.findings
                .add(text.at, "no time at all")
                .expected("more than 0");
            return None;
        }
        Some(span)
    }

    /// A number of things, at least one.
    pub(super) fn count<T: TryFrom<u64>>(
        &mut self,
        field: &Field<Located<u64>>,
        most: u64,
    ) -> Option<T> {
        let number = field.get()?;
        let right = (1..=most).contains(&number.value);
        let value = T::try_from(number.value).ok().filter(|_| right);
        if value.is_none() {
            self.findings
                .add(number.at, format!("found {}", number.value))
                .expected(format!("1 to {most}"));
        }
        value
    }
}
