//! The parser of quota strings.

use std::ops::Range;
use std::str::FromStr;

use aforo_core::Algorithm;
use thiserror::Error;

use super::{Amount, QuotaText, QuotaUnit};
use crate::file::nearest::nearest;
use crate::file::raw::Word;

/// What a quota string looks like.
const SHAPE: &str = "AMOUNT/[N]UNIT [burst B] [ALGORITHM], such as 60/minute burst 10";
/// What an amount looks like.
const AMOUNT: &str = "an integer such as 60 or 1_000, or unlimited";

/// Why a text is not a quota string.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}; expected {expected}")]
pub struct QuotaTextError {
    /// The bytes of the text that are meant.
    pub place: Range<usize>,
    /// What was found.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// What to do.
    pub help: Option<String>,
}

/// A word of the text with its place.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Token<'t> {
    fn range(self) -> Range<usize> {
        self.start..self.start.saturating_add(self.text.len())
    }

    fn split_at(self, offset: usize) -> (Self, Self) {
        let (head, tail) = self
            .text
            .split_at_checked(offset)
            .unwrap_or((self.text, ""));
        let tail = Self {
            text: tail,
            start: self.start.saturating_add(head.len()),
        };
        (Self { text: head, ..self }, tail)
    }

    fn wrong(self, message: impl Into<String>, expected: impl Into<String>) -> QuotaTextError {
        QuotaTextError {
            place: self.range(),
            message: message.into(),
            expected: expected.into(),
            help: None,
        }
    }
}

impl FromStr for QuotaText {
    type Err = QuotaTextError;

    fn from_str(text: &str) -> Result<Self, QuotaTextError> {
        let whole = Token { text, start: 0 };
        let mut tokens = tokens(text).into_iter();
        let Some(first) = tokens.next() else {
            return Err(whole.wrong("an empty quota", SHAPE));
        };
        let mut quota = rate(first, whole)?;
        let mut next = tokens.next();
        if next.is_some_and(|token| token.text == "burst") {
            let keyword = next.unwrap_or(whole);
            let Some(number) = tokens.next() else {
                return Err(keyword.wrong("`burst` without a number", "burst B, such as burst 10"));
            };
            let burst = integer(number.text);
            let expected = "an integer of 1 or more";
            quota.burst = Some(burst.filter(|burst| *burst > 0).ok_or_else(|| {
                number.wrong(format!("`{}` is not a burst", number.text), expected)
            })?);
            next = tokens.next();
        }
        if let Some(token) = next {
            quota.algorithm = Some(algorithm(token)?);
            next = tokens.next();
        }
        match next {
            None => Ok(quota),
            Some(token) => Err(token.wrong(
                format!("`{}` comes after the end of the quota", token.text),
                SHAPE,
            )),
        }
    }
}

/// The words of a text, parted by spaces.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut start = 0usize;
    for piece in text.split(' ') {
        if !piece.is_empty() {
            tokens.push(Token { text: piece, start });
        }
        start = start.saturating_add(piece.len()).saturating_add(1);
    }
    tokens
}

/// `AMOUNT/[N]UNIT`, or `unlimited` alone.
fn rate(token: Token<'_>, whole: Token<'_>) -> Result<QuotaText, QuotaTextError> {
    let quota = |amount, count, unit| QuotaText {
        amount,
        count,
        unit,
        burst: None,
        algorithm: None,
    };
    if token.text == "unlimited" {
        return Ok(quota(Amount::Unlimited, None, None));
    }
    let Some(slash) = token.text.find('/') else {
        return Err(whole.wrong(format!("`{}` has no window", whole.text), SHAPE));
    };
    let (amount, tail) = token.split_at(slash);
    let (_, window) = tail.split_at(1);
    let amount = match amount.text {
        "unlimited" => Amount::Unlimited,
        digits => Amount::Units(integer(digits).ok_or_else(|| not_an_amount(amount))?),
    };
    let digits = window
        .text
        .find(|character: char| !character.is_ascii_digit() && character != '_')
        .unwrap_or(window.text.len());
    let (count, unit) = window.split_at(digits);
    let count = match count.text {
        "" => None,
        digits => match integer(digits) {
            Some(count) if count > 0 => Some(count),
            _ => return Err(count.wrong(format!("a window of `{}`", window.text), "1 or more")),
        },
    };
    let known = QuotaUnit::parse(unit.text).ok_or_else(|| not_a_unit(unit))?;
    Ok(quota(amount, count, Some(known)))
}

fn not_an_amount(token: Token<'_>) -> QuotaTextError {
    let mut error = token.wrong(format!("`{}` is not an amount", token.text), AMOUNT);
    let number = token.text.replace('_', "");
    if number.parse::<f64>().is_ok_and(|number| number > 0.0) && number.contains('.') {
        error.help = Some("amounts are whole: 3/2s instead of 1.5/s".to_owned());
    } else if number.len() > 19 && number.bytes().all(|byte| byte.is_ascii_digit()) {
        error.help = Some(format!("the largest amount is {}", u64::MAX));
    } else if number.starts_with('-') {
        error.help = Some("0 blocks, unlimited does not limit".to_owned());
    }
    error
}

fn not_a_unit(token: Token<'_>) -> QuotaTextError {
    let expected = "second, minute, hour, day, week, month, their plurals, or ms, s, min, h, d";
    if token.text.is_empty() {
        return token.wrong("the window has no unit", expected);
    }
    let mut error = token.wrong(format!("`{}` is not a unit", token.text), expected);
    error.help = match token.text {
        "m" | "M" => Some("min for minutes, month for months".to_owned()),
        word => nearest(word, QuotaUnit::WORDS).map(|unit| format!("did you mean `{unit}`?")),
    };
    error
}

fn algorithm(token: Token<'_>) -> Result<Algorithm, QuotaTextError> {
    let known = Algorithm::WORDS
        .iter()
        .find(|(word, ..)| *word == token.text);
    if let Some((_, algorithm, _)) = known {
        return Ok(*algorithm);
    }
    let words: Vec<&str> = Algorithm::WORDS.iter().map(|(word, ..)| *word).collect();
    let near = nearest(token.text, words.iter().copied().chain(["burst"]));
    let mut error = token.wrong(
        format!("`{}` is not an algorithm", token.text),
        words.join(", "),
    );
    error.help = near.map(|near| format!("did you mean `{near}`?"));
    Err(error)
}

/// Digits with single underscores between them.
fn integer(text: &str) -> Option<u64> {
    let pieces_are_digits = text
        .split('_')
        .all(|piece| !piece.is_empty() && piece.bytes().all(|byte| byte.is_ascii_digit()));
    if !pieces_are_digits {
        return None;
    }
    text.replace('_', "").parse().ok()
}
