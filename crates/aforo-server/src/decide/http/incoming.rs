//! Reading a body: bounded in size and time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body::Body;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::problem::Problem;

/// The most bytes of a question.
pub(super) const MOST: usize = 1024 * 1024;

/// Reads a body to its end.
pub(super) async fn read(body: Incoming, most_time: Duration) -> Result<Bytes, Problem> {
    if body.size_hint().lower() > MOST as u64 {
        return Err(too_large());
    }
    match timeout(most_time, all_of(body)).await {
        Ok(read) => read,
        Err(_) => Err(Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body took longer than `request_timeout` in [decide]",
        )
        .closing()),
    }
}

async fn all_of(mut body: Incoming) -> Result<Bytes, Problem> {
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::bad("the body broke off").closing())?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let so_far = first.len().saturating_add(joined.len());
        if so_far.saturating_add(data.len()) > MOST {
            return Err(too_large());
        }
        if first.is_empty() && joined.is_empty() {
            first = data;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&data);
        }
    }
    Ok(if joined.is_empty() {
        first
    } else {
        joined.freeze()
    })
}

fn too_large() -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("expected a body of at most {MOST} bytes"),
    )
    .closing()
}
