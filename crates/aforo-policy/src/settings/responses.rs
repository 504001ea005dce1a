//! What callers are told.

use aforo_core::Span;

/// What callers are told.
#[derive(Clone, Debug)]
pub struct Responses {
    /// Which families of fields are sent.
    pub fields: Vec<FieldFamily>,
    /// The draft of the RateLimit fields.
    pub ratelimit_draft: Draft,
    /// What happens to the upstream's own fields.
    pub upstream_fields: UpstreamFields,
    /// What a denial's body is.
    pub body: Body,
    /// The language of titles and details.
    pub language: Language,
    /// Where callers read more.
    pub documentation_url: Option<String>,
    /// How Retry-After is written.
    pub retry_after: RetryAfter,
    /// The most that is added to a wait, so that callers do not come back all at once.
    pub retry_jitter: Span,
}

/// A family of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldFamily {
    /// `X-RateLimit-*`.
    XRateLimit,
    /// `RateLimit` and `RateLimit-Policy`.
    RateLimit,
}

/// A draft of *RateLimit header fields for HTTP*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draft {
    /// draft-ietf-httpapi-ratelimit-headers-11.
    #[default]
    Eleven,
    /// The next one: `a`, `t` as window, `c`.
    Next,
}

/// What happens to the upstream's own fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpstreamFields {
    /// Lists are joined; of X-RateLimit the set with the fewest remaining.
    #[default]
    Merge,
    /// Ours only.
    Replace,
    /// The upstream's, where it sent any.
    Keep,
}

/// What a denial's body is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// `application/problem+json` (RFC 9457).
    #[default]
    Problem,
    /// `{"error":{…}}`.
    Classic,
    /// A template with `{placeholders}`.
    Template(String),
}

/// The language of titles and details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// What Accept-Language asks for.
    #[default]
    Auto,
    /// English.
    English,
    /// Spanish.
    Spanish,
}

/// How Retry-After is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// Seconds.
    #[default]
    Seconds,
    /// An HTTP-date.
    Date,
}

/// Which pages may read the answers (CORS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// The origins, or `*`.
    pub allow_origins: Vec<String>,
}

impl Default for Responses {
    fn default() -> Self {
        Self {
            fields: vec![FieldFamily::XRateLimit, FieldFamily::RateLimit],
            ratelimit_draft: Draft::Eleven,
            upstream_fields: UpstreamFields::Merge,
            body: Body::Problem,
            language: Language::Auto,
            documentation_url: None,
            retry_after: RetryAfter::Seconds,
            retry_jitter: Span::ZERO,
        }
    }
}
