//! The kind of a quota's window, without its length.

use super::{CalendarUnit, Window};
use crate::Span;

/// A [`Window`] whose length is kept elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Length,
    FirstHit,
    Calendar(CalendarUnit),
}

impl Kind {
    /// The kind of a window.
    pub(crate) const fn of(window: Window) -> Self {
        match window {
            Window::Length(_) => Self::Length,
            Window::FirstHit(_) => Self::FirstHit,
            Window::Calendar(unit) => Self::Calendar(unit),
        }
    }

    /// The window of this kind and length.
    pub(crate) const fn window(self, length: Span) -> Window {
        match self {
            Self::Length => Window::Length(length),
            Self::FirstHit => Window::FirstHit(length),
            Self::Calendar(unit) => Window::Calendar(unit),
        }
    }
}
