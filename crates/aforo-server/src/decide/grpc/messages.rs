//! The messages of `envoy.service.ratelimit.v3`, as far as a rate limit service reads and writes
//! them (envoy/service/ratelimit/v3/rls.proto and what it imports).
//!
//! The crate with all of Envoy's messages is eight megabytes of generated code for these few.

use prost::{Enumeration, Message, Oneof};

/// `RateLimitRequest`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RateLimitRequest {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(message, repeated, tag = "2")]
    pub(crate) descriptors: Vec<RateLimitDescriptor>,
    #[prost(uint32, tag = "3")]
    pub(crate) hits_addend: u32,
}

/// `RateLimitDescriptor` of `envoy.extensions.common.ratelimit.v3`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RateLimitDescriptor {
    #[prost(message, repeated, tag = "1")]
    pub(crate) entries: Vec<Entry>,
    #[prost(message, optional, tag = "2")]
    pub(crate) limit: Option<RateLimitOverride>,
    #[prost(message, optional, tag = "3")]
    pub(crate) hits_addend: Option<u64>,
    #[prost(bool, tag = "4")]
    pub(crate) is_negative_hits: bool,
}

/// An entry of a descriptor.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Entry {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

/// A quota that comes with a descriptor.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct RateLimitOverride {
    #[prost(uint32, tag = "1")]
    pub(crate) requests_per_unit: u32,
    #[prost(enumeration = "Unit", tag = "2")]
    pub(crate) unit: i32,
}

/// The units of both `RateLimitUnit` and `RateLimit.Unit`, which have the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum Unit {
    Unknown = 0,
    Second = 1,
    Minute = 2,
    Hour = 3,
    Day = 4,
    Month = 5,
    Year = 6,
    Week = 7,
}

impl Unit {
    /// How long it is, as Envoy's reference implementation counts.
    pub(crate) const fn seconds(self) -> Option<u64> {
        Some(match self {
            Self::Unknown => return None,
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
            Self::Week => 604_800,
            Self::Month => 2_592_000,
            Self::Year => 31_536_000,
        })
    }
}

/// `RateLimitResponse`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RateLimitResponse {
    #[prost(enumeration = "Code", tag = "1")]
    pub(crate) overall_code: i32,
    #[prost(message, repeated, tag = "2")]
    pub(crate) statuses: Vec<DescriptorStatus>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) response_headers_to_add: Vec<HeaderValue>,
    #[prost(bytes = "bytes", tag = "5")]
    pub(crate) raw_body: bytes::Bytes,
    #[prost(message, optional, tag = "6")]
    pub(crate) dynamic_metadata: Option<Metadata>,
}

/// `RateLimitResponse.Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum Code {
    Unknown = 0,
    Ok = 1,
    OverLimit = 2,
}

/// `RateLimitResponse.DescriptorStatus`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DescriptorStatus {
    #[prost(enumeration = "Code", tag = "1")]
    pub(crate) code: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) current_limit: Option<CurrentLimit>,
    #[prost(uint32, tag = "3")]
    pub(crate) limit_remaining: u32,
    #[prost(message, optional, tag = "4")]
    pub(crate) duration_until_reset: Option<Seconds>,
}

/// `RateLimitResponse.RateLimit`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CurrentLimit {
    #[prost(uint32, tag = "1")]
    pub(crate) requests_per_unit: u32,
    #[prost(enumeration = "Unit", tag = "2")]
    pub(crate) unit: i32,
    #[prost(string, tag = "3")]
    pub(crate) name: String,
}

/// `google.protobuf.Duration`, whole seconds.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Seconds {
    #[prost(int64, tag = "1")]
    pub(crate) seconds: i64,
}

/// `HeaderValue` of `envoy.config.core.v3`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HeaderValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

/// `google.protobuf.Struct`; a map is a list of pairs on the wire.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Metadata {
    #[prost(message, repeated, tag = "1")]
    pub(crate) fields: Vec<MetadataField>,
}

/// A pair of it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct MetadataField {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<MetadataValue>,
}

/// `google.protobuf.Value`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct MetadataValue {
    #[prost(oneof = "MetadataKind", tags = "3")]
    pub(crate) kind: Option<MetadataKind>,
}

/// The kind of value that is written.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum MetadataKind {
    /// A string.
    #[prost(string, tag = "3")]
    Text(String),
}
