//! The reader of vector files.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Event, Expected, Step, Vector};
use crate::{CalendarUnit, Edges, Quota, Span, Timestamp, Verdict, Window};

/// Reads one file.
///
/// # Errors
/// The file, line and reason.
pub fn parse(file: &str, text: &str) -> Result<Vec<Vector>, String> {
    let mut vectors: Vec<Vector> = Vec::new();
    let mut base = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let event = match words.as_slice() {
            [] => continue,
            ["vector", name @ ..] => {
                base = 0;
                vectors.push(Vector {
                    file: file.to_string(),
                    name: name.join(" "),
                    steps: Vec::new(),
                });
                continue;
            }
            ["base", seconds] => micros(seconds).map(|micros| base = micros).map(|()| None),
            words => event(words, base).map(Some),
        };
        let vector = vectors.last_mut().ok_or("no vector begun".to_string());
        match (event, vector) {
            (Ok(Some(event)), Ok(vector)) => vector.steps.push(Step {
                line: number,
                event,
            }),
            (Ok(None), Ok(_)) => {}
            (Err(why), _) | (_, Err(why)) => return Err(format!("{file}:{number}: {why}")),
        }
    }
    Ok(vectors)
}

fn event(words: &[&str], base: u64) -> Result<Event, String> {
    match words {
        ["quota", algorithm, amount, "per", rest @ ..] => {
            quota(algorithm, number(amount)?, rest).map(Event::Quota)
        }
        ["edges", "none"] => Ok(Event::Edges(None)),
        ["edges", a, b, c, d] => {
            let edges = [
                time(a, base)?,
                time(b, base)?,
                time(c, base)?,
                time(d, base)?,
            ];
            let edges = Edges::new(edges).ok_or("edges must rise")?;
            Ok(Event::Edges(Some(edges)))
        }
        [now, "charge", cost, "->", said @ ..] => charge(time(now, base)?, cost, None, said, base),
        [now, "charge", cost, "as", name, "->", said @ ..] => {
            charge(time(now, base)?, cost, Some(name.to_string()), said, base)
        }
        [now, "give-back", units, "of", name] => Ok(Event::GiveBack {
            now: time(now, base)?,
            receipt: name.to_string(),
            units: number(units)?,
        }),
        _ => Err("expected quota, edges, or TIME charge | give-back".to_string()),
    }
}

fn charge(
    now: Timestamp,
    cost: &str,
    receipt: Option<String>,
    said: &[&str],
    base: u64,
) -> Result<Event, String> {
    Ok(Event::Charge {
        now,
        cost: number(cost)?,
        receipt,
        expected: expected(said, base)?,
    })
}

fn expected(said: &[&str], base: u64) -> Result<Expected, String> {
    let (verdict, pairs) = match said {
        ["allowed", rest @ ..] => (Verdict::Allowed, rest),
        ["denied", rest @ ..] => (Verdict::Denied, rest),
        ["impossible", rest @ ..] => (Verdict::Impossible, rest),
        _ => return Err("expected allowed, denied or impossible".to_string()),
    };
    let mut expected = Expected {
        verdict,
        remaining: None,
        wait: None,
        next: None,
        whole: None,
        delay: None,
        edge: None,
    };
    let (pairs, rest) = pairs.as_chunks::<2>();
    if let [word] = rest {
        return Err(format!("{word} says nothing"));
    }
    for [name, value] in pairs {
        let span = || micros(value).map(Span::from_micros).map(Some);
        match *name {
            "remaining" => expected.remaining = Some(number(value)?),
            "wait" => expected.wait = span()?,
            "next" => expected.next = span()?,
            "whole" => expected.whole = span()?,
            "delay" => expected.delay = span()?,
            "edge" => expected.edge = Some(time(value, base)?),
            _ => return Err(format!("{name} is not a part of an outcome")),
        }
    }
    Ok(expected)
}

fn quota(algorithm: &str, amount: u64, rest: &[&str]) -> Result<Quota, String> {
    let length = |text| micros(text).map(Span::from_micros);
    let quota = match (algorithm, rest) {
        ("token-bucket", [window]) => Quota::token_bucket(amount, length(window)?, None),
        ("token-bucket", [window, "burst", burst]) => {
            Quota::token_bucket(amount, length(window)?, Some(number(burst)?))
        }
        ("leaky-bucket", [window, "max-delay", delay]) => {
            Quota::leaky_bucket(amount, length(window)?, length(delay)?)
        }
        ("fixed-window", ["calendar", unit]) => {
            Quota::fixed_window(amount, Window::Calendar(calendar(unit)?))
        }
        ("fixed-window", [window]) => Quota::fixed_window(amount, Window::Length(length(window)?)),
        ("fixed-window", [window, "first-hit"]) => {
            Quota::fixed_window(amount, Window::FirstHit(length(window)?))
        }
        ("sliding-window", [window]) => Quota::sliding_window(amount, length(window)?),
        ("sliding-log", [window]) => Quota::sliding_log(amount, length(window)?),
        _ => return Err("not a quota".to_string()),
    };
    quota.map_err(|error| error.to_string())
}

fn calendar(text: &str) -> Result<CalendarUnit, String> {
    match text {
        "minute" => Ok(CalendarUnit::Minute),
        "hour" => Ok(CalendarUnit::Hour),
        "day" => Ok(CalendarUnit::Day),
        "week" => Ok(CalendarUnit::Week),
        "month" => Ok(CalendarUnit::Month),
        _ => Err(format!("{text} is not a calendar unit")),
    }
}

fn number(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    digits
        .parse()
        .map_err(|_| format!("{text} is not a number"))
}

fn time(text: &str, base: u64) -> Result<Timestamp, String> {
    Ok(Timestamp::from_micros(base).plus(Span::from_micros(micros(text)?)))
}

/// Seconds with up to six decimals, in microseconds.
fn micros(text: &str) -> Result<u64, String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 6 {
        return Err(format!("{text} is finer than a microsecond"));
    }
    let seconds = Span::from_seconds(number(whole)?);
    let part = number(&format!("{part:0<6}"))?;
    Ok(seconds.plus(Span::from_micros(part)).as_micros())
}
