//! A limiter on a clock that stands still, and callers of it.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::net::{IpAddr, SocketAddr};

use aforo::core::{Span, Timestamp};
use aforo::policy::Settings;
use aforo::{Admission, Limiter, LimiterBuilder, ManualClock, ProcessEnvironment};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};

/// 2026-01-01T00:00:00Z: the edge of a day, an hour, a minute.
pub(crate) const START: u64 = 1_767_225_600;

/// A limiter and its clock.
pub(crate) struct Bench {
    pub(crate) limiter: Limiter,
    pub(crate) clock: ManualClock,
}

/// What a caller sees.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The body that the application received, if the request went on.
    pub(crate) received: Option<Bytes>,
    pub(crate) path: Option<String>,
}

impl Seen {
    pub(crate) fn code(&self) -> u16 {
        self.status.as_u16()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let first = values.next()?;
        assert!(values.next().is_none(), "{name} is there twice");
        Some(first.to_str().unwrap())
    }

    pub(crate) fn remaining(&self) -> Option<u64> {
        self.field("x-ratelimit-remaining")?.parse().ok()
    }

    pub(crate) fn retry_after(&self) -> Option<u64> {
        self.field("retry-after")?.parse().ok()
    }

    pub(crate) fn problem(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// The settings of a text.
pub(crate) fn settings(text: &str) -> Settings {
    match Settings::parse("test.toml", text, &ProcessEnvironment) {
        Ok(settings) => settings,
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn bench(text: &str) -> Bench {
    built(Limiter::builder().settings(settings(text)))
}

pub(crate) fn built(builder: LimiterBuilder) -> Bench {
    built_on(ManualClock::at(Timestamp::from_seconds(START)), builder)
}

pub(crate) fn built_on(clock: ManualClock, builder: LimiterBuilder) -> Bench {
    let limiter = match builder.clock(clock.clone()).build() {
        Ok(limiter) => limiter,
        Err(error) => panic!("{error}"),
    };
    Bench { limiter, clock }
}

pub(crate) fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

pub(crate) fn get(path: &str) -> Request<Full<Bytes>> {
    Request::get(path).body(Full::default()).unwrap()
}

pub(crate) fn with(
    mut request: Request<Full<Bytes>>,
    name: &'static str,
    value: &str,
) -> Request<Full<Bytes>> {
    request.headers_mut().append(name, value.parse().unwrap());
    request
}

pub(crate) fn post_json(path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::post(path)
        .header("content-type", "application/json")
        .body(Full::new(body.into()))
        .unwrap()
}

impl Bench {
    /// Sets the clock to milliseconds after the start.
    pub(crate) fn at(&self, millis: u64) -> &Self {
        let start = Timestamp::from_seconds(START);
        self.clock.set(start.plus(Span::from_millis(millis)));
        self
    }

    /// Sends a request from `peer`; the application answers 200.
    pub(crate) async fn send(&self, peer: &str, request: Request<Full<Bytes>>) -> Seen {
        self.send_answered(peer, request, |_| Response::new(()))
            .await
    }

    /// Sends a request from `peer`; the application answers as told.
    pub(crate) async fn send_answered(
        &self,
        peer: &str,
        request: Request<Full<Bytes>>,
        application: impl FnOnce(&Request<()>) -> Response<()>,
    ) -> Seen {
        let peer = SocketAddr::new(address(peer), 40_000);
        match self.limiter.admit(request, Some(peer)).await {
            Admission::Answer(answer) => {
                let (parts, body) = answer.into_parts();
                Seen {
                    status: parts.status,
                    headers: parts.headers,
                    body: body.collect().await.unwrap().to_bytes(),
                    received: None,
                    path: None,
                }
            }
            Admission::Pass(request, mut passage) => {
                passage.forwarded();
                let (parts, body) = request.into_parts();
                let received = body.collect().await.unwrap().to_bytes();
                let request = Request::from_parts(parts, ());
                let path = request.uri().to_string();
                let (mut parts, ()) = application(&request).into_parts();
                passage.finish(&mut parts).await;
                Seen {
                    status: parts.status,
                    headers: parts.headers,
                    body: Bytes::new(),
                    received: Some(received),
                    path: Some(path),
                }
            }
        }
    }

    /// The status of a GET.
    pub(crate) async fn status(&self, peer: &str, path: &str) -> u16 {
        self.send(peer, get(path)).await.code()
    }

    /// The statuses of GETs, one after the other.
    pub(crate) async fn statuses(&self, peer: &str, path: &str, times: usize) -> Vec<u16> {
        let mut statuses = Vec::new();
        for _ in 0..times {
            statuses.push(self.status(peer, path).await);
        }
        statuses
    }
}
