//! A decision as Envoy reads it.

use std::cmp::Reverse;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use aforo::core::{CalendarUnit, Mode, PartitionHash, Quota, Span, Window};
use aforo::decide::{DescriptorsRuling, Ruling, Told};
use bytes::Bytes;
use http::HeaderMap;
use http_body::Body;

use super::messages::{
    Code, CurrentLimit, DescriptorStatus, HeaderValue, Metadata, MetadataField, MetadataKind,
    MetadataValue, RateLimitResponse, Seconds, Unit,
};

/// The answer to descriptors that were counted one by one.
pub(super) fn of_descriptors(decided: &DescriptorsRuling) -> RateLimitResponse {
    let statuses = decided
        .told()
        .map(|told| status(told.map(|(told, _)| told)));
    let statuses = statuses.collect();
    let all = decided.told().flatten();
    let metadata = tightest(all, |(told, _)| told);
    let metadata = metadata.map(|(told, partition)| metadata_of(&told, partition));
    response(&decided.ruling, statuses, metadata)
}

/// The answer to `count` descriptors that told of one request.
pub(super) fn of_request(ruling: &Ruling, count: usize) -> RateLimitResponse {
    let mut status = status(ruling.told());
    status.code = code(ruling.is_allowed()).into();
    let metadata = tightest(ruling.told(), |told| told);
    let metadata = metadata.map(|told| metadata_of(&told, None));
    response(ruling, vec![status; count], metadata)
}

/// The answer to `count` descriptors of which nothing is counted.
pub(super) fn uncounted(code: Code, count: usize) -> RateLimitResponse {
    let status = DescriptorStatus {
        code: code.into(),
        ..DescriptorStatus::default()
    };
    RateLimitResponse {
        overall_code: code.into(),
        statuses: vec![status; count],
        ..RateLimitResponse::default()
    }
}

fn response(
    ruling: &Ruling,
    statuses: Vec<DescriptorStatus>,
    dynamic_metadata: Option<Metadata>,
) -> RateLimitResponse {
    let mut headers = HeaderMap::new();
    ruling.write_fields(&mut headers);
    let denial = ruling.denial();
    RateLimitResponse {
        overall_code: code(denial.is_none()).into(),
        statuses,
        response_headers_to_add: headers.iter().filter_map(header).collect(),
        raw_body: denial
            .map(|denial| whole(denial.body()))
            .unwrap_or_default(),
        dynamic_metadata,
    }
}

const fn code(is_allowed: bool) -> Code {
    if is_allowed {
        Code::Ok
    } else {
        Code::OverLimit
    }
}

fn header((name, value): (&http::HeaderName, &http::HeaderValue)) -> Option<HeaderValue> {
    Some(HeaderValue {
        key: name.as_str().to_owned(),
        value: value.to_str().ok()?.to_owned(),
    })
}

/// All of a body that is there.
fn whole(body: &aforo::AnswerBody) -> Bytes {
    let mut body = body.clone();
    let frame = Pin::new(&mut body).poll_frame(&mut Context::from_waker(Waker::noop()));
    match frame {
        Poll::Ready(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
        _ => Bytes::new(),
    }
}

/// How a descriptor stands: the policy that denies longest, else the one with the fewest units left.
fn status<'a>(told: impl Iterator<Item = Told<'a>>) -> DescriptorStatus {
    let mut denies = false;
    let shown = told.filter(|told| {
        denies |= told.denies();
        told.disclosed && told.mode == Mode::Enforce
    });
    let shown = tightest(shown, |told| told);
    let mut status = DescriptorStatus::default();
    if let Some(told) = shown {
        let remaining = told.outcome.map_or(0, |outcome| outcome.remaining);
        status.limit_remaining = u32::try_from(remaining).unwrap_or(u32::MAX);
        status.current_limit = current_limit(&told);
        status.duration_until_reset = told.reset_seconds().map(|seconds| Seconds {
            seconds: i64::try_from(seconds).unwrap_or(i64::MAX),
        });
    }
    status.code = code(!denies).into();
    status
}

/// What matters most: what denies longest, else what has the fewest units left.
fn tightest<'a, T>(all: impl Iterator<Item = T>, told: impl Fn(&T) -> &Told<'a>) -> Option<T> {
    all.min_by_key(|one| {
        let told = told(one);
        let wait = |outcome: &aforo::core::Outcome| outcome.wait;
        let wait = told.outcome.as_ref().map_or(Span::MAX, wait);
        let remaining = told.outcome.map_or(u64::MAX, |outcome| outcome.remaining);
        match told.denies() {
            true => (0, Reverse(wait), 0),
            false => (1, Reverse(Span::ZERO), remaining),
        }
    })
}

/// The policy's name and quota. A store that failed has no numbers to show.
fn current_limit(told: &Told<'_>) -> Option<CurrentLimit> {
    let (amount, unit) = match (told.quota, told.outcome) {
        (Some(quota), Some(_)) => (quota.amount(), unit(quota)),
        (None, None) => (0, Unit::Unknown),
        _ => return None,
    };
    Some(CurrentLimit {
        requests_per_unit: u32::try_from(amount).unwrap_or(u32::MAX),
        unit: unit.into(),
        name: told.policy.to_owned(),
    })
}

/// The unit that a window is, if it is one.
fn unit(quota: &Quota) -> Unit {
    let length = match quota.window() {
        Window::Calendar(unit) => {
            return match unit {
                CalendarUnit::Minute => Unit::Minute,
                CalendarUnit::Hour => Unit::Hour,
                CalendarUnit::Day => Unit::Day,
                CalendarUnit::Week => Unit::Week,
                CalendarUnit::Month => Unit::Month,
            };
        }
        Window::Length(length) | Window::FirstHit(length) => length,
    };
    let units = [
        Unit::Second,
        Unit::Minute,
        Unit::Hour,
        Unit::Day,
        Unit::Week,
        Unit::Month,
        Unit::Year,
    ];
    let mut fitting = units
        .into_iter()
        .filter(|unit| unit.seconds().map(Span::from_seconds) == Some(length));
    fitting.next().unwrap_or(Unit::Unknown)
}

/// For access logs: which policy matters most, and the hash of what it counted by.
fn metadata_of(told: &Told<'_>, partition: Option<PartitionHash>) -> Metadata {
    let field = |key: &str, text: String| MetadataField {
        key: key.to_owned(),
        value: Some(MetadataValue {
            kind: Some(MetadataKind::Text(text)),
        }),
    };
    let mut fields = vec![field("policy", told.policy.to_owned())];
    if let Some(PartitionHash(hash)) = partition {
        fields.push(field("partition", format!("{hash:032x}")));
    }
    Metadata { fields }
}
