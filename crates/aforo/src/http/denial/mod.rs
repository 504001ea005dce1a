//! The answer to a request that does not go on.

mod account;
mod asked;
mod classic;
mod decision_id;
mod graphql;
mod grpc;
mod kind;
mod language;
mod refused;
mod retry;
mod template;
mod wording;

pub use asked::Asked;
pub use decision_id::{DecisionId, Digits};
pub use refused::Refused;

use ::http::header::{
    CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use ::http::{HeaderMap, HeaderValue, Response};
use aforo_policy::{Body, Responses};
use bytes::Bytes;
use serde::Serialize;

use self::account::Account;
use self::classic::Classic;
use super::fields::{self, put};
use super::{Shown, cors};
use crate::AnswerBody;
use crate::identity::challenge;

/// The answer to a request that does not go on: status, fields and body.
///
/// Every answer has `Cache-Control: no-store`, the fields of [`fields::write`] as far as policies
/// are shown, CORS fields when they are configured, and Retry-After when coming back helps. A gRPC
/// request (`content-type: application/grpc…`) is answered trailers-only with HTTP status 200.
pub fn answer(
    refused: &Refused<'_>,
    shown: &Shown<'_>,
    responses: &Responses,
    asked: &Asked<'_>,
) -> Response<AnswerBody> {
    let account = Account::of(refused, shown, responses, asked);
    let mut response = Response::new(AnswerBody::default());
    let headers = response.headers_mut();
    write_fields(headers, refused, shown, responses, asked);
    if let Some(retry) = &account.retry {
        put(headers, RETRY_AFTER, retry.value(responses.retry_after));
    }
    if let Some(cors) = asked.cors {
        cors::write(headers, asked.headers, cors);
    }
    match grpc::media_type(asked.headers) {
        Some(media_type) => grpc::write(headers, media_type, &account),
        None => {
            let (body, media_type) = match graphql::errors(refused, &account, asked) {
                Some(errors) => (json(&errors), graphql::media_type(asked.headers)),
                None => body(&responses.body, &account),
            };
            put(headers, CONTENT_TYPE, HeaderValue::from_static(media_type));
            let language = HeaderValue::from_static(account.spoken.tag());
            put(headers, CONTENT_LANGUAGE, language);
            *response.status_mut() = account.status;
            *response.body_mut() = AnswerBody::new(body);
        }
    }
    response
}

fn write_fields(
    headers: &mut HeaderMap,
    refused: &Refused<'_>,
    shown: &Shown<'_>,
    responses: &Responses,
    asked: &Asked<'_>,
) {
    put(headers, CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match refused {
        Refused::Exceeded | Refused::Impossible | Refused::StoreFailed => {
            fields::write_on_denial(headers, shown, responses, asked.jitter);
        }
        _ => fields::write(headers, shown, responses),
    }
    if matches!(refused, Refused::Anonymous)
        && let Some(challenge) = challenge(asked.identity)
    {
        put(headers, WWW_AUTHENTICATE, challenge);
    }
}

fn body(body: &Body, account: &Account<'_>) -> (Bytes, &'static str) {
    match body {
        Body::Problem => (json(account), "application/problem+json"),
        Body::Classic => (json(&Classic::of(account)), "application/json"),
        Body::Template(template) => {
            let (text, media_type) = template::render(template, account);
            (text.into(), media_type)
        }
    }
}

fn json(body: &impl Serialize) -> Bytes {
    // Only maps with other keys than strings cannot be written, and there are none.
    serde_json::to_vec(body).unwrap_or_default().into()
}

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod body_tests;
#[cfg(test)]
mod graphql_tests;
#[cfg(test)]
mod grpc_tests;
