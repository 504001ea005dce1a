//! Inline commands: a line of words, as people type it.

use super::command::{Broken, Command, Parsed};

/// The longest line.
const MAX_LINE: usize = 4 * 1024;

/// How requests of browsers and other HTTP clients begin.
const HTTP: [&[u8]; 9] = [
    b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"HEAD", b"CONNECT", b"TRACE", b"Host:",
];

/// The line that `input` begins with. A page can make a browser send nearly any line but the first
/// one, so a line that looks like HTTP ends the connection.
pub(super) fn parse<'a>(input: &'a [u8], command: &mut Command<'a>) -> Parsed {
    let looked_at = input.get(..MAX_LINE).unwrap_or(input);
    let Some(end) = looked_at.iter().position(|byte| *byte == b'\n') else {
        return match looked_at.len() {
            MAX_LINE => Parsed::Broken(Broken::LineTooLong),
            _ if looks_like_http(looked_at) => Parsed::Broken(Broken::Http),
            _ => Parsed::Incomplete,
        };
    };
    let used = end.saturating_add(1);
    let line = input.get(..end).unwrap_or_default();
    if looks_like_http(line) || line.windows(6).any(|part| part == b" HTTP/") {
        return Parsed::Broken(Broken::Http);
    }
    if line
        .iter()
        .any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
    {
        return Parsed::Broken(Broken::NotACommand);
    }
    let words = line.split(u8::is_ascii_whitespace);
    for word in words.filter(|word| !word.is_empty()) {
        if !command.push(word) {
            return Parsed::Broken(Broken::TooManyArguments);
        }
    }
    Parsed::Command(used)
}

/// Whether the first word is one of HTTP's.
fn looks_like_http(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace);
    let first = words.next().unwrap_or_default();
    words.next().is_some() && HTTP.iter().any(|word| word.eq_ignore_ascii_case(first))
}
