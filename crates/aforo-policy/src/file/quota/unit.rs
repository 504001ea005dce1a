//! The units of windows and lengths.

use aforo_core::{CalendarUnit, Span};

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuotaUnit {
    /// `ms`.
    Millisecond,
    /// `second`, `seconds`, `s`.
    Second,
    /// `minute`, `minutes`, `min`.
    Minute,
    /// `hour`, `hours`, `h`.
    Hour,
    /// `day`, `days`, `d`.
    Day,
    /// `week`, `weeks`.
    Week,
    /// `month`, `months`.
    Month,
}

impl QuotaUnit {
    /// The words for units, for errors.
    pub(in crate::file) const WORDS: [&'static str; 17] = [
        "second", "minute", "hour", "day", "week", "month", "seconds", "minutes", "hours", "days",
        "weeks", "months", "ms", "s", "min", "h", "d",
    ];

    /// The unit that a word means.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "ms" => Self::Millisecond,
            "second" | "seconds" | "s" => Self::Second,
            "minute" | "minutes" | "min" => Self::Minute,
            "hour" | "hours" | "h" => Self::Hour,
            "day" | "days" | "d" => Self::Day,
            "week" | "weeks" => Self::Week,
            "month" | "months" => Self::Month,
            _ => return None,
        })
    }

    /// The word that names show.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Millisecond => "ms",
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Its length; a month has none.
    pub const fn span(self) -> Option<Span> {
        Some(match self {
            Self::Millisecond => Span::from_millis(1),
            Self::Second => Span::from_seconds(1),
            Self::Minute => Span::from_seconds(60),
            Self::Hour => Span::from_seconds(3_600),
            Self::Day => Span::from_seconds(86_400),
            Self::Week => Span::from_seconds(7 * 86_400),
            Self::Month => return None,
        })
    }

    /// The calendar unit, if it is one.
    pub const fn calendar(self) -> Option<CalendarUnit> {
        Some(match self {
            Self::Millisecond | Self::Second => return None,
            Self::Minute => CalendarUnit::Minute,
            Self::Hour => CalendarUnit::Hour,
            Self::Day => CalendarUnit::Day,
            Self::Week => CalendarUnit::Week,
            Self::Month => CalendarUnit::Month,
        })
    }
}
