//! Instants and lengths of time on the command line.

use aforo::core::{Span, Timestamp};
use jiff::tz::TimeZone;
use jiff::{ZonedDateTime, civil};
use serde_json::Value;

use super::failure::Failure;

/// Which end of a day is meant where only the day is written.
#[derive(Clone, Copy)]
pub(super) enum Edge {
    Start,
    /// The whole day still counts, as in the aforo file.
    End,
}

/// An instant: a day, an instant with its offset, or a length of time from now.
pub(super) fn instant(
    argument: &'static str,
    written: &str,
    edge: Edge,
    now: Timestamp,
) -> Result<Timestamp, Failure> {
    day(written, edge)
        .or_else(|| exact(written))
        .or_else(|| after(now, written))
        .ok_or_else(|| Failure::Argument {
            argument,
            problem: format!("`{written}` is no instant"),
            expected: "a day (UTC) such as 2027-01-31, an instant such as 2027-01-31T12:00:00Z, \
                       or a length of time from now such as 90d"
                .to_owned(),
        })
}

/// A length of time.
pub(super) fn length(
    argument: &'static str,
    written: &str,
    now: Timestamp,
) -> Result<Span, Failure> {
    let end = after(now, written);
    end.map(|end| end.since(now))
        .ok_or_else(|| Failure::Argument {
            argument,
            problem: format!("`{written}` is no length of time"),
            expected: "a length such as 24h or 7d".to_owned(),
        })
}

/// An instant for people, to the second, in UTC.
pub(super) fn shown(instant: Timestamp) -> String {
    match zoned(instant) {
        Some(zoned) => zoned.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
        None => "never".to_owned(),
    }
}

/// An instant for programs (RFC 3339), or null.
pub(super) fn json(instant: Option<Timestamp>) -> Value {
    let zoned = instant.and_then(zoned);
    zoned.map_or(Value::Null, |zoned| zoned.timestamp().to_string().into())
}

fn day(written: &str, edge: Edge) -> Option<Timestamp> {
    // A longer text is an instant, whose day alone would be read.
    let day: civil::Date = written.parse().ok().filter(|_| written.len() == 10)?;
    let day = match edge {
        Edge::Start => day,
        Edge::End => day.tomorrow().ok()?,
    };
    of(&day.to_zoned_datetime(TimeZone::UTC).ok()?)
}

fn exact(written: &str) -> Option<Timestamp> {
    let instant: jiff::Timestamp = written.parse().ok()?;
    of(&instant.to_zoned_datetime(TimeZone::UTC))
}

fn after(now: Timestamp, written: &str) -> Option<Timestamp> {
    let span: jiff::Span = written.parse().ok()?;
    if span.is_negative() {
        return None;
    }
    of(&zoned(now)?.checked_add(span).ok()?)
}

fn of(zoned: &ZonedDateTime) -> Option<Timestamp> {
    let micros = zoned.timestamp().as_microsecond();
    u64::try_from(micros).ok().map(Timestamp::from_micros)
}

fn zoned(instant: Timestamp) -> Option<ZonedDateTime> {
    let micros = i64::try_from(instant.as_micros()).ok()?;
    let instant = jiff::Timestamp::from_microsecond(micros).ok()?;
    Some(instant.to_zoned_datetime(TimeZone::UTC))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

    fn read(written: &str, edge: Edge) -> Option<u64> {
        let instant = instant("--until", written, edge, NOW).ok()?;
        Some(instant.as_micros() / 1_000_000)
    }

    #[test]
    fn instants_are_days_instants_or_lengths_from_now() {
        // date -u -d … +%s
        assert_eq!(read("2027-01-31", Edge::Start), Some(1_801_353_600));
        assert_eq!(read("2027-01-31", Edge::End), Some(1_801_440_000));
        assert_eq!(read("2027-01-31T12:00:00Z", Edge::End), Some(1_801_396_800));
        assert_eq!(
            read("2027-01-31T12:00:00+01:00", Edge::End),
            Some(1_801_393_200)
        );
        assert_eq!(read("90d", Edge::End), Some(1_807_776_000));
        assert_eq!(read("24h", Edge::Start), Some(1_800_086_400));
        for wrong in [
            "",
            "tomorrow",
            "2027-02-30",
            "-1h",
            "5",
            "2027-01-31T12:00:00",
        ] {
            assert_eq!(read(wrong, Edge::End), None, "{wrong}");
        }
    }

    #[test]
    fn lengths_are_read() {
        let day = Span::from_seconds(86_400);
        assert_eq!(length("--grace", "24h", NOW).ok(), Some(day));
        assert_eq!(length("--grace", "1d", NOW).ok(), Some(day));
        assert_eq!(length("--grace", "0s", NOW).ok(), Some(Span::ZERO));
        assert!(length("--grace", "soon", NOW).is_err());
    }

    #[test]
    fn instants_are_shown_in_utc() {
        assert_eq!(shown(NOW), "2027-01-15 08:00:00Z");
        assert_eq!(json(Some(NOW)), "2027-01-15T08:00:00Z");
        assert_eq!(json(None), Value::Null);
    }
}
