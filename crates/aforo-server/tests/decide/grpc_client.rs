//! A client of the rate limit service.

use http::uri::PathAndQuery;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use crate::support::Program;

#[path = "../../src/decide/grpc/messages.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the program")]
mod messages;

pub(crate) use messages::*;

/// A client of the rate limit service.
pub(crate) struct Client {
    channel: Grpc<Channel>,
    pub(crate) token: Option<&'static str>,
}

impl Client {
    pub(crate) async fn of(program: &Program) -> Self {
        let address = program.service("grpc");
        let channel = Channel::from_shared(format!("http://{address}")).unwrap();
        let channel = Grpc::new(channel.connect().await.unwrap());
        let token = None;
        Self { channel, token }
    }

    pub(crate) async fn ask(
        &mut self,
        request: RateLimitRequest,
    ) -> Result<RateLimitResponse, Status> {
        self.channel
            .ready()
            .await
            .map_err(|error| Status::unavailable(error.to_string()))?;
        let path = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
        let mut request = Request::new(request);
        if let Some(token) = self.token {
            request
                .metadata_mut()
                .insert("authorization", token.parse().unwrap());
        }
        let path = PathAndQuery::from_static(path);
        let answer = self
            .channel
            .unary(request, path, ProstCodec::default())
            .await;
        answer.map(tonic::Response::into_inner)
    }

    /// The codes of the whole and of each descriptor, 1 OK and 2 OVER_LIMIT.
    pub(crate) async fn codes(&mut self, request: RateLimitRequest) -> (i32, Vec<i32>) {
        let answer = self.ask(request).await.unwrap();
        let codes = answer.statuses.iter().map(|status| status.code);
        (answer.overall_code, codes.collect())
    }
}

/// A request with descriptors.
pub(crate) fn request(domain: &str, descriptors: Vec<RateLimitDescriptor>) -> RateLimitRequest {
    RateLimitRequest {
        domain: domain.to_owned(),
        descriptors,
        hits_addend: 0,
    }
}

/// A descriptor with entries.
pub(crate) fn descriptor(entries: &[(&str, &str)]) -> RateLimitDescriptor {
    let entry = |(key, value): &(&str, &str)| Entry {
        key: (*key).to_owned(),
        value: (*value).to_owned(),
    };
    RateLimitDescriptor {
        entries: entries.iter().map(entry).collect(),
        ..RateLimitDescriptor::default()
    }
}

/// The same with units of its own.
pub(crate) fn taking(entries: &[(&str, &str)], hits: u64) -> RateLimitDescriptor {
    RateLimitDescriptor {
        hits_addend: Some(hits),
        ..descriptor(entries)
    }
}

/// What a response says in a header that is to be added.
pub(crate) fn header<'a>(answer: &'a RateLimitResponse, name: &str) -> Option<&'a str> {
    let headers = answer.response_headers_to_add.iter();
    let mut values = headers.filter(|header| header.key == name);
    let value = values.next().map(|header| header.value.as_str());
    assert!(values.next().is_none(), "{name} twice");
    value
}
