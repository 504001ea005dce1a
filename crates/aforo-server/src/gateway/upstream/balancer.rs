//! Which upstream a request goes to.

use std::cell::Cell;
use std::rc::Rc;

use tokio::time::Instant;

use super::Upstream;

/// Sends each request to the upstream with the fewest outstanding, in turn when several have
/// equally few; those that failed lately are left alone while another is there.
pub(in crate::gateway) struct Balancer {
    upstreams: Vec<Rc<Upstream>>,
    turn: Cell<usize>,
}

/// The upstreams that a request has tried, by place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::gateway) struct Tried(u64);

impl Tried {
    const fn has(self, place: usize) -> bool {
        self.0 & Self::bit(place) != 0
    }

    const fn add(&mut self, place: usize) {
        self.0 |= Self::bit(place);
    }

    /// Beyond 64 upstreams places share a bit: a request then tries fewer.
    const fn bit(place: usize) -> u64 {
        1_u64.rotate_left((place & 63) as u32)
    }
}

impl Balancer {
    pub(in crate::gateway) fn new(upstreams: Vec<Rc<Upstream>>) -> Self {
        Self {
            upstreams,
            turn: Cell::new(0),
        }
    }

    /// Closes connections that nobody needs.
    pub(in crate::gateway) fn sweep(&self) {
        for upstream in &self.upstreams {
            upstream.pool.sweep();
        }
    }

    /// The upstream for a request, not one of those it has tried; `None` when all were.
    pub(in crate::gateway) fn next(&self, tried: &mut Tried) -> Option<&Rc<Upstream>> {
        if let [only] = self.upstreams.as_slice() {
            let first_time = !tried.has(0);
            tried.add(0);
            return first_time.then_some(only);
        }
        let turn = self.turn.get();
        self.turn.set(turn.wrapping_add(1));
        let count = self.upstreams.len();
        let places = (0..count).map(|step| turn.wrapping_add(step).checked_rem(count));
        let (place, best) = places
            .flatten()
            .filter(|place| !tried.has(*place))
            .filter_map(|place| Some((place, self.upstreams.get(place)?)))
            .min_by_key(|(_, upstream)| rank(upstream))?;
        tried.add(place);
        Some(best)
    }
}

/// Well ones by their load, then paused ones by the end of their pause.
fn rank(upstream: &Upstream) -> (Option<Instant>, usize) {
    let paused = upstream.health.paused_until();
    let still = paused.filter(|until| *until > Instant::now());
    (still, upstream.outstanding.get())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Lease, Target};
    use super::*;

    fn balancer(count: u8) -> Balancer {
        let upstreams = (0..count).map(|number| {
            let uri = format!("http://127.0.0.1:900{number}");
            let target = Target::new(&uri.parse().unwrap()).unwrap();
            Upstream::new(target, Duration::from_secs(1))
        });
        Balancer::new(upstreams.collect())
    }

    fn port_of(upstream: &Upstream) -> u16 {
        upstream.target.port
    }

    #[test]
    fn equally_loaded_upstreams_take_turns() {
        let balancer = balancer(3);
        let ports: Vec<_> = (0..6)
            .map(|_| port_of(balancer.next(&mut Tried::default()).unwrap()))
            .collect();
        assert_eq!(ports, [9000, 9001, 9002, 9000, 9001, 9002]);
    }

    #[test]
    fn the_least_loaded_is_next() {
        let balancer = balancer(2);
        let _busy = Lease::new(Rc::clone(&balancer.upstreams[0]));
        for _ in 0..3 {
            let next = balancer.next(&mut Tried::default()).unwrap();
            assert_eq!(port_of(next), 9001);
        }
    }

    #[test]
    fn a_paused_upstream_is_asked_last_and_each_at_most_once() {
        let balancer = balancer(2);
        balancer.upstreams[0].health.unreachable(Instant::now());
        let mut tried = Tried::default();
        assert_eq!(port_of(balancer.next(&mut tried).unwrap()), 9001);
        assert_eq!(port_of(balancer.next(&mut tried).unwrap()), 9000);
        assert!(balancer.next(&mut tried).is_none());
    }
}
