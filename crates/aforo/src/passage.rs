//! A request that goes on.

use std::net::IpAddr;
use std::time::Duration;

use ::http::response;

/// A request that goes on: what its response will carry, and what is left to settle.
///
/// Dropped before [`Passage::forwarded`], it gives a leaky bucket's tail slot and reserved
/// charges back; dropped after it, charges stay.
#[derive(Debug)]
pub struct Passage {}

impl Passage {
    /// How long the request is held for its slot, for a leaky bucket.
    pub fn delay(&self) -> Option<Duration> {
        todo!()
    }

    /// The client address, for the forwarding headers.
    pub fn client_address(&self) -> IpAddr {
        todo!()
    }

    /// The consumer's id, when one was verified.
    pub fn consumer(&self) -> Option<&str> {
        todo!()
    }

    /// The request is on its way: from here charges are kept.
    pub fn forwarded(&mut self) {
        todo!()
    }

    /// Corrects the request's cost to what it truly was.
    pub fn set_cost(&mut self, cost: u64) {
        let _ = cost;
        todo!()
    }

    /// Writes the fields on the response, joined with the upstream's own, and settles what counts
    /// by result.
    pub async fn finish(self, response: &mut response::Parts) {
        let _ = response;
        todo!()
    }
}
