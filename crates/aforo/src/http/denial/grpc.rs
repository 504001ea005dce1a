//! Answers for gRPC: trailers only, with retry info.
//!
//! A plain HTTP 429 becomes UNAVAILABLE in gRPC clients, which they retry at once; so the answer is
//! HTTP 200 with the status in the headers (gRPC over HTTP/2, *Trailers-Only*).

use std::fmt::Write;

use ::http::header::CONTENT_TYPE;
use ::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::account::Account;
use super::retry::Retry;
use crate::http::fields::put;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");
const PUSHBACK: HeaderName = HeaderName::from_static("grpc-retry-pushback-ms");

/// The media type of a gRPC or gRPC-Web request, without parameters.
pub(super) fn media_type(headers: &HeaderMap) -> Option<HeaderValue> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let media_type = value.split(';').next()?.trim();
    let rest = media_type
        .get(.."application/grpc".len())
        .filter(|start| start.eq_ignore_ascii_case("application/grpc"))
        .and_then(|start| media_type.get(start.len()..))?;
    if rest.is_empty() || rest.starts_with(['+', '-']) {
        HeaderValue::from_str(media_type).ok()
    } else {
        None
    }
}

/// Writes status, message and retry info. Where coming back does not help, the pushback is -1,
/// which tells clients not to retry (gRFC A6).
pub(super) fn write(headers: &mut HeaderMap, media_type: HeaderValue, account: &Account<'_>) {
    put(headers, CONTENT_TYPE, media_type);
    put(
        headers,
        STATUS,
        HeaderValue::from(u16::from(account.kind.grpc)),
    );
    put_text(headers, MESSAGE, percent_encoded(&account.detail));
    match &account.retry {
        Some(retry) => {
            put(headers, PUSHBACK, HeaderValue::from(retry.millis()));
            let details = status_details(account.kind.grpc, &account.detail, retry);
            put_text(headers, DETAILS, STANDARD_NO_PAD.encode(details));
        }
        None => put(headers, PUSHBACK, HeaderValue::from_static("-1")),
    }
}

fn put_text(headers: &mut HeaderMap, name: HeaderName, text: String) {
    if let Ok(value) = HeaderValue::try_from(text) {
        put(headers, name, value);
    }
}

/// A message as `grpc-message` holds it (gRPC over HTTP/2, *Status-Message*).
fn percent_encoded(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    for byte in message.bytes() {
        match byte {
            b' '..=b'$' | b'&'..=b'~' => out.push(char::from(byte)),
            _ => {
                let _infallible = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// A `google.rpc.Status` with a `google.rpc.RetryInfo` in its details.
fn status_details(code: u8, message: &str, retry: &Retry) -> Vec<u8> {
    let micros = retry.wait.as_micros();
    let mut delay = Vec::new();
    number(&mut delay, 1, micros / 1_000_000);
    number(&mut delay, 2, (micros % 1_000_000).saturating_mul(1_000));
    let mut retry_info = Vec::new();
    bytes(&mut retry_info, 1, &delay);
    let mut any = Vec::new();
    bytes(&mut any, 1, b"type.googleapis.com/google.rpc.RetryInfo");
    bytes(&mut any, 2, &retry_info);
    let mut status = Vec::new();
    number(&mut status, 1, u64::from(code));
    bytes(&mut status, 2, message.as_bytes());
    bytes(&mut status, 3, &any);
    status
}

/// A protobuf field with a varint.
fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

/// A protobuf field with a length and bytes.
fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}
