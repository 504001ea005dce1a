//! The windows of a calendar.

use aforo_core::{CalendarUnit, Edges, Timestamp};
use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp as Instant, ToSpan};

/// The calendar of a calendar window.
///
/// ```
/// use aforo_core::{CalendarUnit, Timestamp};
/// use aforo_policy::Calendar;
///
/// let months = Calendar::new(CalendarUnit::Month, "UTC", 1).unwrap();
/// // 2025-01-31T12:00:00Z is in January, which ends on 2025-02-01T00:00:00Z.
/// let edges = months.edges(Timestamp::from_seconds(1_738_324_800)).unwrap();
/// assert_eq!(edges.as_array()[2], Timestamp::from_seconds(1_738_368_000));
/// ```
#[derive(Clone, Debug)]
pub struct Calendar {
    /// The unit.
    pub unit: CalendarUnit,
    /// The time zone its edges are in.
    pub time_zone: TimeZone,
    /// The day a month starts on, clamped to the month's end.
    pub anchor_day: u8,
}

/// A time zone of the IANA database that is built into the program, so that nothing has to be
/// installed and all instances of one version agree.
pub(crate) fn time_zone(name: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled().get(name).ok()
}

impl Calendar {
    /// A calendar by the name of its time zone.
    pub fn new(unit: CalendarUnit, zone: &str, anchor_day: u8) -> Option<Self> {
        Some(Self {
            unit,
            time_zone: time_zone(zone)?,
            anchor_day,
        })
    }

    /// The four edges around `now`: a day, week or month begins with its first instant, also
    /// when midnight is skipped or comes twice; a minute or an hour begins where the clock on
    /// the wall shows it, and with every change of the clock.
    ///
    /// `None` when `now` is beyond the year 9999. Windows before the epoch begin with it.
    pub fn edges(&self, now: Timestamp) -> Option<Edges> {
        let micros = i64::try_from(now.as_micros()).ok()?;
        let now = Instant::from_microsecond(micros).ok()?;
        let found = match self.unit {
            CalendarUnit::Minute => self.clock_edges(now, 60)?,
            CalendarUnit::Hour => self.clock_edges(now, 3_600)?,
            CalendarUnit::Day | CalendarUnit::Week | CalendarUnit::Month => self.date_edges(now)?,
        };
        after_epoch(found)
    }

    /// Edges of days, weeks and months.
    fn date_edges(&self, now: Instant) -> Option<[Instant; 5]> {
        let date = self.time_zone.to_datetime(now).date();
        let mut starts = Vec::new();
        for step in -3..=5 {
            let start = self.start_date(date, step)?;
            starts.push(self.first_instant(start)?);
        }
        starts.sort_unstable();
        starts.dedup();
        let after = starts.iter().position(|start| *start > now)?;
        let from = after.checked_sub(2)?;
        starts.get(from..)?.first_chunk::<5>().copied()
    }

    /// The first instant of a date: after the gap when midnight is skipped, the first midnight
    /// when it comes twice. A date that a zone skipped altogether begins when the next one does.
    fn first_instant(&self, date: Date) -> Option<Instant> {
        let midnight = date.to_datetime(Time::midnight());
        let midnight = self.time_zone.to_ambiguous_timestamp(midnight);
        let in_gap = matches!(midnight.offset(), AmbiguousOffset::Gap { .. });
        let instant = midnight.compatible().ok()?;
        if !in_gap {
            return Some(instant);
        }
        let strictly_after = instant.checked_add(1.microsecond()).ok()?;
        let change = self.time_zone.preceding(strictly_after).next()?;
        Some(change.timestamp())
    }

    /// The first date of the unit that lies `step` units from the one with `date`.
    fn start_date(&self, date: Date, step: i32) -> Option<Date> {
        match self.unit {
            CalendarUnit::Week => {
                let into = i32::from(date.weekday().to_monday_zero_offset());
                let days = step.checked_mul(7)?.checked_sub(into)?;
                date.checked_add(days.days()).ok()
            }
            CalendarUnit::Month => {
                let first = date.first_of_month().checked_add(step.months()).ok()?;
                let last = first.last_of_month().day();
                let day = i8::try_from(self.anchor_day).ok()?.clamp(1, last);
                Date::new(first.year(), first.month(), day).ok()
            }
            _ => date.checked_add(step.days()).ok(),
        }
    }

    /// Edges of minutes and hours, and changes of the clock.
    fn clock_edges(&self, now: Instant, length: i64) -> Option<[Instant; 5]> {
        let current = self.clock_start(now, length)?;
        let previous = self.clock_start(current.checked_sub(1.microsecond()).ok()?, length)?;
        let end = self.clock_end(current, length)?;
        let next = self.clock_end(end, length)?;
        let last = self.clock_end(next, length)?;
        Some([previous, current, end, next, last])
    }

    fn clock_start(&self, at: Instant, length: i64) -> Option<Instant> {
        let offset = i64::from(self.time_zone.to_offset(at).seconds());
        let second = at.as_microsecond().div_euclid(1_000_000);
        let wall = second.checked_add(offset)?;
        let start = second.checked_sub(wall.rem_euclid(length))?;
        let start = Instant::from_second(start).ok()?;
        // `preceding` looks strictly before, and a change at this very instant counts.
        let strictly_after = at.checked_add(1.microsecond()).ok()?;
        let change = self.time_zone.preceding(strictly_after).next();
        let change = change.map(|change| change.timestamp());
        Some(change.map_or(start, |change| start.max(change)))
    }

    fn clock_end(&self, at: Instant, length: i64) -> Option<Instant> {
        let offset = i64::from(self.time_zone.to_offset(at).seconds());
        let second = at.as_second();
        let wall = second.checked_add(offset)?;
        let left = length.checked_sub(wall.rem_euclid(length))?;
        let end = Instant::from_second(second.checked_add(left)?).ok()?;
        let change = self.time_zone.following(at).next();
        let change = change.map(|change| change.timestamp());
        Some(change.map_or(end, |change| end.min(change)))
    }
}

/// The four edges of five that do not lie before the epoch: a window that begins before it
/// begins with it.
fn after_epoch(found: [Instant; 5]) -> Option<Edges> {
    let micros = found.map(|instant| u64::try_from(instant.as_microsecond()).unwrap_or(0));
    let edges = micros.map(Timestamp::from_micros);
    let [previous, current, end, next, last] = edges;
    Edges::new([previous, current, end, next]).or_else(|| Edges::new([current, end, next, last]))
}

#[cfg(test)]
mod tests;
