//! `[stores]`, and lengths of time and counts anywhere.

use std::collections::BTreeMap;

use aforo_core::Span;

use super::Checker;
use crate::StoreSettings;
use crate::file::length;
use crate::file::raw::RawStore;
use crate::file::read::{Field, Located, Text};

/// The stores of the contract that are not built yet.
const LATER: [&str; 9] = [
    "redis:",
    "rediss:",
    "redis-cluster:",
    "redis-sentinel:",
    "valkey:",
    "memcached:",
    "sqlite:",
    "postgres:",
    "postgresql:",
];

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
        if url.value != "memory" {
            let later = LATER.iter().find(|scheme| url.value.starts_with(**scheme));
            match later {
                Some(scheme) => self.findings.later(url.at, &format!("a store at {scheme}")),
                None => {
                    self.findings
                        .add(url.at, format!("there is no store `{}`", url.written))
                        .expected("memory");
                }
            }
            return None;
        }
        Some(StoreSettings {
            url: url.value.clone(),
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
        })
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
