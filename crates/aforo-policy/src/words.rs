//! Quotas in words: "10 at once, then 1 a second; at most 70 in any minute".
//!
//! The numbers are exact: what is said is what the algorithm admits at most.

use std::fmt::Write;

use aforo_core::{Algorithm, CalendarUnit, Quota, Span, Window};

use crate::{Allowance, Calendar, Metered, Penalty, Policy, Precision, Share};

/// The units that lengths are told in, the longest first, in microseconds.
const UNITS: [(u64, &str); 5] = [
    (86_400_000_000, "day"),
    (3_600_000_000, "hour"),
    (60_000_000, "minute"),
    (1_000_000, "second"),
    (1_000, "millisecond"),
];

/// What a policy allows and what its denials lead to, in words; a quota per plan names each plan.
///
/// ```
/// let policy = aforo_policy::Policy::parse("api", "60/minute burst 10")?;
/// assert_eq!(
///     aforo_policy::words::policy(&policy),
///     "10 at once, then 1 a second; at most 70 in any minute"
/// );
/// # Ok::<(), aforo_policy::file::PolicyTextError>(())
/// ```
pub fn policy(policy: &Policy) -> String {
    let quotas = quotas(policy) + part(policy.share);
    match &policy.penalty {
        Some(penalty) => format!("{quotas}; {}", self::penalty(penalty)),
        None => quotas,
    }
}

/// Whose part of a pool it is.
const fn part(share: Option<Share>) -> &'static str {
    match share {
        Some(Share::Guaranteed) => "; for each member by itself",
        Some(Share::Rest) => "; for all members, beyond what each has by itself",
        None => "",
    }
}

/// What denials lead to: `a denial blocks for 1 minute, the next for 10 minutes`.
fn penalty(penalty: &Penalty) -> String {
    let blocks = penalty.blocks().iter();
    let lengths: Vec<String> = blocks.map(|block| length(window(block.quota()))).collect();
    format!("a denial blocks for {}", lengths.join(", the next for "))
}

fn quotas(policy: &Policy) -> String {
    let told = |one: &Allowance| allowance(one) + &precision(one, policy.precision);
    if policy.by_plan.is_empty() {
        return policy.allowance.as_ref().map(told).unwrap_or_default();
    }
    let mut plans: Vec<String> = Vec::new();
    for (plan, one) in &policy.by_plan {
        plans.push(format!("{plan}: {}", told(one)));
    }
    plans.push(match &policy.allowance {
        Some(others) => format!("others: {}", told(others)),
        None => "others: not limited by this policy".to_owned(),
    });
    plans.join(" | ")
}

/// What an allowance means, in words.
pub fn allowance(allowance: &Allowance) -> String {
    match allowance {
        Allowance::Unlimited => "no limit".to_owned(),
        Allowance::Blocked => "nothing: every request is denied".to_owned(),
        Allowance::Metered(metered) => self::metered(metered),
    }
}

/// What leases add to it: units that instances have taken before a window and spend in it.
fn precision(allowance: &Allowance, precision: Precision) -> String {
    let (Allowance::Metered(metered), Precision::Leased) = (allowance, precision) else {
        return String::new();
    };
    let quota = metered.terms.quota();
    let each = quota.capacity() / 10;
    let any = any(quota);
    match quota.algorithm() {
        _ if each == 0 => "; too few to be leased".to_owned(),
        Algorithm::FixedWindow => format!(
            "; each instance may hold {} of them in advance for a second",
            number(each)
        ),
        // What is held in advance has left room only for what flowed back since.
        Algorithm::TokenBucket if in_a_second(quota) <= u128::from(each) => format!(
            "; up to {} more in any {any} while instances share it",
            grouped(in_a_second(quota))
        ),
        _ => format!(
            "; up to {} more per instance in any {any} while instances share it",
            number(each)
        ),
    }
}

/// How many units flow in a second, rounded up.
fn in_a_second(quota: &Quota) -> u128 {
    let micros = u128::from(quota.amount()).saturating_mul(1_000_000);
    micros.div_ceil(u128::from(window(quota)).max(1))
}

fn metered(metered: &Metered) -> String {
    let quota = metered.terms.quota();
    match quota.algorithm() {
        Algorithm::TokenBucket => token_bucket(quota),
        Algorithm::LeakyBucket => leaky_bucket(quota, metered.max_delay.unwrap_or(Span::ZERO)),
        Algorithm::FixedWindow => fixed_window(quota, metered.calendar.as_ref()),
        Algorithm::SlidingWindow => sliding_window(quota),
        Algorithm::SlidingLog => {
            format!("at most {} in any {}", number(quota.amount()), any(quota))
        }
    }
}

fn token_bucket(quota: &Quota) -> String {
    let capacity = quota.capacity();
    let most = u128::from(capacity).saturating_add(u128::from(quota.amount()));
    format!(
        "{} at once, then {}; at most {} in any {}",
        number(capacity),
        rate(quota),
        grouped(most),
        any(quota)
    )
}

fn leaky_bucket(quota: &Quota, max_delay: Span) -> String {
    let mut words = format!("{}, evenly; ", rate(quota));
    let _ = write!(
        words,
        "a request waits for its turn up to {}",
        length(max_delay.as_micros())
    );
    words
}

fn fixed_window(quota: &Quota, calendar: Option<&Calendar>) -> String {
    let amount = number(quota.amount());
    let across = grouped(u128::from(quota.amount()).saturating_mul(2));
    match (quota.window(), calendar) {
        (Window::Calendar(unit), Some(calendar)) => {
            format!(
                "{amount} in each {}; up to {across} around the turn of two",
                month(unit, calendar)
            )
        }
        (Window::FirstHit(_), _) => format!(
            "{amount} in the {} from the first request; up to {across} around the turn of two",
            any(quota)
        ),
        _ => {
            let each = any(quota);
            let each = match each.starts_with(|first: char| first.is_ascii_digit()) {
                true => format!("each window of {each}"),
                false => format!("each {each}"),
            };
            format!("{amount} in {each}; up to {across} around the turn of two")
        }
    }
}

/// `month of the calendar, from day 15, Europe/Madrid`.
fn month(unit: CalendarUnit, calendar: &Calendar) -> String {
    let mut words = match unit {
        CalendarUnit::Minute => "minute",
        CalendarUnit::Hour => "hour",
        CalendarUnit::Day => "day",
        CalendarUnit::Week => "week from Monday",
        CalendarUnit::Month => "month",
    }
    .to_owned();
    if unit == CalendarUnit::Month && calendar.anchor_day > 1 {
        let _ = write!(words, " from day {}", calendar.anchor_day);
        if calendar.anchor_day > 28 {
            words.push_str(" (or the month's last)");
        }
    }
    let zone = calendar.time_zone.iana_name().unwrap_or("UTC");
    let _ = write!(words, ", {zone}");
    words
}

fn sliding_window(quota: &Quota) -> String {
    let amount = quota.amount();
    let below = u128::from(amount).saturating_mul(2);
    let any = any(quota);
    format!(
        "{} {}, the {any} before weighing in; always fewer than {} in any {any}",
        number(amount),
        per(quota),
        grouped(below)
    )
}

/// The window after "any": `minute`, `15 minutes`.
fn any(quota: &Quota) -> String {
    let micros = window(quota);
    match UNITS.iter().find(|(unit, _)| *unit == micros) {
        Some((_, word)) => (*word).to_owned(),
        None => length(micros),
    }
}

/// The window after an amount: `a minute`, `every 15 minutes`.
fn per(quota: &Quota) -> String {
    let micros = window(quota);
    match UNITS.iter().find(|(unit, _)| *unit == micros) {
        Some((_, word)) => format!("{} {word}", article(word)),
        None => format!("every {}", length(micros)),
    }
}

fn window(quota: &Quota) -> u64 {
    match quota.window() {
        Window::Length(span) | Window::FirstHit(span) => span.as_micros(),
        Window::Calendar(_) => 0,
    }
}

/// How fast units flow: `1 a second`, `1 every 2.5 seconds`, `7 a minute`.
fn rate(quota: &Quota) -> String {
    let amount = u128::from(quota.amount());
    let micros = u128::from(window(quota));
    let in_seconds = amount.saturating_mul(1_000_000);
    if in_seconds.checked_rem(micros) == Some(0) {
        let each = in_seconds.checked_div(micros).unwrap_or(0);
        return format!("{} a second", grouped(each));
    }
    // One in a time that can be written with at most three decimals.
    if micros.checked_rem(amount) == Some(0)
        && let Some(each) = micros.checked_div(amount)
        && let Ok(each) = u64::try_from(each)
        && let Some(words) = decimal(each)
    {
        return match UNITS.iter().find(|(unit, _)| *unit == each) {
            Some((_, word)) => format!("1 {} {word}", article(word)),
            None => format!("1 every {words}"),
        };
    }
    format!("{} {}", number(quota.amount()), per(quota))
}

fn article(word: &str) -> &'static str {
    if word.starts_with('h') { "an" } else { "a" }
}

/// A length in the longest unit that divides it: `15 minutes`, `90 seconds`.
fn length(micros: u64) -> String {
    let fitting = UNITS
        .iter()
        .find(|(unit, _)| micros >= *unit && micros.checked_rem(*unit) == Some(0));
    match fitting {
        Some((unit, word)) => plural(micros.checked_div(*unit).unwrap_or(0), word),
        None => plural(micros, "microsecond"),
    }
}

/// A length in the longest unit that it fills, with at most three decimals.
fn decimal(micros: u64) -> Option<String> {
    for (unit, word) in UNITS {
        let thousandths = u128::from(micros).saturating_mul(1_000);
        let exact = thousandths.checked_rem(u128::from(unit)) == Some(0);
        if micros < unit || !exact {
            continue;
        }
        let thousandths = thousandths.checked_div(u128::from(unit))?;
        let whole = thousandths.checked_div(1_000)?;
        let rest = thousandths.checked_rem(1_000)?;
        if rest == 0 {
            return Some(plural(u64::try_from(whole).ok()?, word));
        }
        let decimals = format!("{rest:03}");
        let decimals = decimals.trim_end_matches('0');
        return Some(format!("{}.{decimals} {word}s", grouped(whole)));
    }
    None
}

fn plural(count: u64, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        count => format!("{} {word}s", number(count)),
    }
}

fn number(number: u64) -> String {
    grouped(number.into())
}

/// Digits in groups of three: `1,000,000`.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len().saturating_sub(index);
        if index > 0 && left.checked_rem(3) == Some(0) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests;
