//! Lengths of time: `50ms`, `30s`, `15min`.

use aforo_core::Span;

use super::quota::QuotaUnit;

/// The longest length that a file may hold: 400 days.
const LONGEST: Span = Span::from_seconds(400 * 86_400);

/// Why a text is not a length of time.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::file) struct LengthError(pub(in crate::file) String);

/// Reads a length of time: an integer and a unit.
pub(in crate::file) fn parse(text: &str) -> Result<Span, LengthError> {
    let digits = text
        .find(|character: char| !character.is_ascii_digit() && character != '_')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number = number.replace('_', "").parse::<u64>();
    let unit = QuotaUnit::parse(unit.trim_start()).and_then(QuotaUnit::span);
    let (Ok(number), Some(unit)) = (number, unit) else {
        return Err(LengthError(format!("`{text}` is not a length of time")));
    };
    let micros = number.checked_mul(unit.as_micros());
    match micros.map(Span::from_micros) {
        Some(span) if span <= LONGEST => Ok(span),
        _ => Err(LengthError(format!("`{text}` is longer than 400 days"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_an_integer_and_a_unit() {
        assert_eq!(parse("50ms"), Ok(Span::from_millis(50)));
        assert_eq!(parse("0s"), Ok(Span::ZERO));
        assert_eq!(parse("15min"), Ok(Span::from_seconds(900)));
        assert_eq!(parse("2 hours"), Ok(Span::from_seconds(7_200)));
        assert_eq!(parse("1_000ms"), Ok(Span::from_seconds(1)));
        for wrong in [
            "",
            "5",
            "ms",
            "1.5s",
            "-1s",
            "1month",
            "401d",
            "5 m",
            "99999999999999999999s",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
