//! The body that many APIs had before RFC 9457.

use serde::Serialize;

use super::account::Account;

/// `{"error":{"code":"RATE_LIMIT_EXCEEDED","message":…,"retryAfter":…,"documentationUrl":…}}`
#[derive(Debug, Serialize)]
pub(super) struct Classic<'a> {
    error: Error<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Error<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation_url: Option<&'a str>,
}

impl<'a> Classic<'a> {
    pub(super) const fn of(account: &'a Account<'_>) -> Self {
        Self {
            error: Error {
                code: account.kind.code,
                message: account.detail.as_str(),
                retry_after: account.retry_after,
                documentation_url: account.documentation_url,
            },
        }
    }
}
