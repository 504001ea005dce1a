//! What a quota string means: the algorithm it takes, and whether its parts go together.

use std::fmt;
use std::sync::Arc;

use aforo_core::{Algorithm, CalendarUnit, PolicyName, Quota, QuotaError, Span, Terms, Window};
use jiff::tz::TimeZone;

use super::{Amount, QuotaText, QuotaUnit, algorithm_word};
use crate::file::raw::WindowWord;
use crate::{Allowance, Calendar, Metered};

/// The fields of a policy that say more about its quota.
#[derive(Clone, Debug, Default)]
pub(crate) struct QuotaFields {
    pub(in crate::file) burst: Option<u64>,
    pub(in crate::file) algorithm: Option<Algorithm>,
    pub(in crate::file) window: Option<WindowWord>,
    pub(in crate::file) max_delay: Option<Span>,
    pub(in crate::file) time_zone: Option<TimeZone>,
    pub(in crate::file) anchor_day: Option<u8>,
}

impl QuotaFields {
    /// What they say of another quota: not what that says itself.
    pub(in crate::file) fn beside(&self, quota: &QuotaText) -> Self {
        Self {
            burst: self.burst.filter(|_| quota.burst.is_none()),
            algorithm: self.algorithm.filter(|_| quota.algorithm.is_none()),
            ..self.clone()
        }
    }
}

/// What a senseless combination is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum About {
    Quota,
    Burst,
    Algorithm,
    Window,
    MaxDelay,
}

/// Parts that do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::file) struct Senseless {
    pub(in crate::file) about: About,
    pub(in crate::file) message: String,
    pub(in crate::file) help: Option<String>,
}

impl Senseless {
    fn new(about: About, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            about,
            message: message.into(),
            help: Some(help.into()),
        }
    }
}

impl fmt::Display for Senseless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl QuotaText {
    /// What a policy with this quota and these fields allows.
    pub(in crate::file) fn allowance(
        &self,
        name: &PolicyName,
        fields: &QuotaFields,
    ) -> Result<Allowance, Senseless> {
        let amount = match self.amount {
            Amount::Unlimited => return self.plain("unlimited", Allowance::Unlimited),
            Amount::Units(0) => return self.plain("0", Allowance::Blocked),
            Amount::Units(amount) => amount,
        };
        let Some(unit) = self.unit else {
            return Ok(Allowance::Unlimited);
        };
        let (algorithm, burst) = self.algorithm_and_burst(unit, fields)?;
        self.check_fields(algorithm, burst, fields)?;
        let quota = self.quota(amount, unit, algorithm, burst, fields)?;
        let calendar = match quota.window() {
            Window::Calendar(unit) => Some(Calendar {
                unit,
                time_zone: fields.time_zone.clone().unwrap_or(TimeZone::UTC),
                anchor_day: fields.anchor_day.unwrap_or(1),
            }),
            Window::Length(_) | Window::FirstHit(_) => None,
        };
        Ok(Allowance::Metered(Metered {
            terms: Arc::new(Terms::new(name.clone(), quota)),
            calendar,
            max_delay: fields.max_delay,
        }))
    }

    /// An amount that needs no algorithm.
    fn plain(&self, word: &str, allowance: Allowance) -> Result<Allowance, Senseless> {
        if self.burst.is_some() || self.algorithm.is_some() {
            return Err(Senseless::new(
                About::Quota,
                format!("a quota of {word} has neither burst nor algorithm"),
                "leave them out",
            ));
        }
        Ok(allowance)
    }

    /// The algorithm that counts, and the burst.
    fn algorithm_and_burst(
        &self,
        unit: QuotaUnit,
        fields: &QuotaFields,
    ) -> Result<(Algorithm, Option<u64>), Senseless> {
        if self.burst.is_some() && fields.burst.is_some() {
            let help = "leave one of them out";
            return Err(Senseless::new(
                About::Burst,
                "the burst is here twice",
                help,
            ));
        }
        if self.algorithm.is_some() && fields.algorithm.is_some() {
            let help = "leave one of them out";
            return Err(Senseless::new(
                About::Algorithm,
                "the algorithm is here twice",
                help,
            ));
        }
        let burst = self.burst.or(fields.burst);
        let algorithm = match self.algorithm.or(fields.algorithm) {
            Some(algorithm) => algorithm,
            None if burst.is_some() => Algorithm::TokenBucket,
            None if matches!(unit, QuotaUnit::Week | QuotaUnit::Month) => Algorithm::FixedWindow,
            None => Algorithm::SlidingWindow,
        };
        Ok((algorithm, burst))
    }

    /// Fields that belong to another algorithm.
    fn check_fields(
        &self,
        algorithm: Algorithm,
        burst: Option<u64>,
        fields: &QuotaFields,
    ) -> Result<(), Senseless> {
        let word = algorithm_word(algorithm);
        if burst.is_some() && algorithm != Algorithm::TokenBucket {
            let about = match self.burst {
                Some(_) => About::Quota,
                None => About::Burst,
            };
            return Err(Senseless::new(
                about,
                format!("a {word} has no burst"),
                "leave the burst out, or make it a token-bucket",
            ));
        }
        if burst == Some(0) {
            let help = "at least 1, or the quota 0/minute to block";
            return Err(Senseless::new(About::Burst, "a burst of 0", help));
        }
        if fields.max_delay.is_some() && algorithm != Algorithm::LeakyBucket {
            return Err(Senseless::new(
                About::MaxDelay,
                format!("a {word} never delays, so `max_delay` means nothing"),
                "leave it out, or make it a leaky-bucket",
            ));
        }
        if fields.window.is_some() && algorithm != Algorithm::FixedWindow {
            return Err(Senseless::new(
                About::Window,
                format!("a {word} has no `window`"),
                "leave it out, or make it a fixed-window",
            ));
        }
        Ok(())
    }

    fn quota(
        &self,
        amount: u64,
        unit: QuotaUnit,
        algorithm: Algorithm,
        burst: Option<u64>,
        fields: &QuotaFields,
    ) -> Result<Quota, Senseless> {
        let count = self.count.unwrap_or(1);
        if count > 1 && matches!(unit, QuotaUnit::Week | QuotaUnit::Month) {
            let days = if unit == QuotaUnit::Week { 7 } else { 30 };
            let days = count.saturating_mul(days);
            return Err(Senseless::new(
                About::Quota,
                format!(
                    "a window of {count} {}s is neither one of a calendar nor of a fixed length",
                    unit.as_str()
                ),
                format!("write {amount}/{days}d for a fixed length"),
            ));
        }
        let made = match algorithm {
            Algorithm::TokenBucket => Quota::token_bucket(amount, self.length(algorithm)?, burst),
            Algorithm::LeakyBucket => match fields.max_delay {
                Some(max_delay) => Quota::leaky_bucket(amount, self.length(algorithm)?, max_delay),
                None => {
                    return Err(Senseless::new(
                        About::Quota,
                        "a leaky-bucket needs `max_delay`, how long a request may be held",
                        "add max_delay = \"5s\" to the policy",
                    ));
                }
            },
            Algorithm::FixedWindow => {
                Quota::fixed_window(amount, self.fixed_window(unit, count, fields)?)
            }
            Algorithm::SlidingWindow => Quota::sliding_window(amount, self.length(algorithm)?),
            Algorithm::SlidingLog => Quota::sliding_log(amount, self.length(algorithm)?),
        };
        made.map_err(|error| self.inexact(amount, &error))
    }

    /// The window of a fixed window: the calendar's by default, when it is one unit of one.
    fn fixed_window(
        &self,
        unit: QuotaUnit,
        count: u64,
        fields: &QuotaFields,
    ) -> Result<Window, Senseless> {
        let calendar: Option<CalendarUnit> = unit.calendar().filter(|_| count == 1);
        match (fields.window, calendar) {
            (Some(WindowWord::FirstHit), _) => {
                self.length(Algorithm::FixedWindow).map(Window::FirstHit)
            }
            (_, Some(unit)) => Ok(Window::Calendar(unit)),
            (None, None) => self.length(Algorithm::FixedWindow).map(Window::Length),
            (Some(WindowWord::Calendar), None) => Err(Senseless::new(
                About::Window,
                format!("a window of {} is not one of a calendar", self.suffix()),
                "a calendar window is one minute, hour, day, week or month",
            )),
        }
    }

    /// The window's length.
    fn length(&self, algorithm: Algorithm) -> Result<Span, Senseless> {
        let Some(unit) = self.unit.and_then(QuotaUnit::span) else {
            let what = match algorithm {
                Algorithm::FixedWindow => "a first-hit window",
                other => match other {
                    Algorithm::TokenBucket => "a token-bucket",
                    Algorithm::LeakyBucket => "a leaky-bucket",
                    Algorithm::SlidingWindow => "a sliding-window",
                    _ => "a sliding-log",
                },
            };
            return Err(Senseless::new(
                About::Quota,
                format!("a month has no fixed length, which {what} needs"),
                "write 30d, or make it a fixed-window of the calendar",
            ));
        };
        let count = self.count.unwrap_or(1);
        Ok(Span::from_micros(unit.as_micros().saturating_mul(count)))
    }

    /// Why it cannot be counted, and the nearest that can.
    fn inexact(&self, amount: u64, error: &QuotaError) -> Senseless {
        let (message, help) = match error {
            QuotaError::WindowOutOfRange => (
                format!("a window of {} is out of range", self.suffix()),
                "a window is 1 ms to 400 days long".to_owned(),
            ),
            QuotaError::LogTooLarge => (
                format!("a sliding-log keeps every request, and {amount} are too many"),
                "at most 10000, or another algorithm".to_owned(),
            ),
            QuotaError::TooFine {
                nearest_amount: Some(nearest),
            } => (
                format!("`{self}` cannot be counted exactly"),
                format!("the nearest that can is `{}`", self.with_amount(*nearest)),
            ),
            _ => (
                format!("`{self}` cannot be counted exactly"),
                "take a smaller amount, burst or window".to_owned(),
            ),
        };
        Senseless::new(About::Quota, message, help)
    }

    fn with_amount(self, amount: u64) -> Self {
        Self {
            amount: Amount::Units(amount),
            ..self
        }
    }
}
