//! Where counters are kept.

use std::path::PathBuf;

use aforo_core::Span;

use super::StoreUrl;

/// A store of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// Where it is.
    pub url: StoreUrl,
    /// What every name in a shared store starts with.
    pub namespace: String,
    /// The file that holds the secret that partition keys are hashed with.
    pub hash_key_file: Option<PathBuf>,
    /// How long an answer may take.
    pub timeout: Span,
    /// What its failure means.
    pub on_store_failure: OnStoreFailure,
    /// How many instances share it; `None`: not written down.
    pub instances: Option<u32>,
    /// Memory: how many partition keys each table holds.
    pub max_keys: usize,
    /// Memory: how many entries all sliding logs share.
    pub max_log_entries: usize,
}

/// What a store's failure means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnStoreFailure {
    /// Count in memory, this instance's share.
    #[default]
    Local,
    /// Let everybody pass.
    Allow,
    /// 503.
    Deny,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            url: StoreUrl::memory(),
            namespace: "aforo".to_owned(),
            hash_key_file: None,
            timeout: Span::from_millis(50),
            on_store_failure: OnStoreFailure::Local,
            instances: None,
            max_keys: 1_000_000,
            max_log_entries: 1_000_000,
        }
    }
}
