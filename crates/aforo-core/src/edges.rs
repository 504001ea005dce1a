//! Calendar edges, computed outside and carried by a charge.

use crate::Timestamp;

/// The four calendar edges around now: the start of the previous window, of the current one,
/// its end, and the end of the next. A store whose clock is a little off picks the window by
/// its own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edges([Timestamp; 4]);

impl Edges {
    /// The edges, if each lies after the one before.
    pub fn new(edges: [Timestamp; 4]) -> Option<Self> {
        edges
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a < b))
            .then_some(Self(edges))
    }

    /// The window that holds `now`, as start and end; before the first edge the first window,
    /// after the last the last.
    pub fn window_at(&self, now: Timestamp) -> (Timestamp, Timestamp) {
        let [previous, current, end, next] = self.0;
        if now < current {
            (previous, current)
        } else if now < end {
            (current, end)
        } else {
            (end, next)
        }
    }

    /// The edges themselves.
    pub const fn as_array(&self) -> [Timestamp; 4] {
        self.0
    }
}
