//! Commands: arrays of bulk strings (RESP2 and RESP3 alike), or lines.

use super::inline;
use super::integer::integer;

/// The most arguments of a command, its name among them.
pub(crate) const MAX_ARGUMENTS: usize = 16;
/// The most bytes of a command.
pub(crate) const MAX_FRAME: usize = 32 * 1024;
/// The most bytes of one argument.
const MAX_ARGUMENT: usize = 16 * 1024;
/// The most bytes of a length with its sign.
const MAX_LENGTH_LINE: usize = 20;

/// A command: its name and what follows. Its parts lie in what was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command<'a> {
    arguments: [&'a [u8]; MAX_ARGUMENTS],
    count: usize,
}

/// What a piece of input begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// A command of so many bytes, perhaps an empty one that is passed over.
    Command(usize),
    /// The beginning of a command.
    Incomplete,
    /// No command: the connection is to be closed.
    Broken(Broken),
}

/// Why input is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// An array's length is no number.
    ArrayLength,
    /// An argument's length is no number, negative or too large.
    ArgumentLength,
    /// An argument is no bulk string, such as an array within the array.
    NotABulkString,
    /// An argument goes on after its length.
    LongerThanItsLength,
    /// More than [`MAX_ARGUMENTS`].
    TooManyArguments,
    /// More than [`MAX_FRAME`].
    FrameTooLarge,
    /// A line without an end.
    LineTooLong,
    /// A line with bytes that no command has.
    NotACommand,
    /// HTTP.
    Http,
}

impl<'a> Command<'a> {
    /// The name and all arguments.
    pub(crate) fn arguments(&self) -> &[&'a [u8]] {
        self.arguments.get(..self.count).unwrap_or_default()
    }

    /// Adds an argument; whether there was room.
    pub(super) fn push(&mut self, argument: &'a [u8]) -> bool {
        let Some(place) = self.arguments.get_mut(self.count) else {
            return false;
        };
        *place = argument;
        self.count = self.count.saturating_add(1);
        true
    }
}

/// What `input` begins with; its arguments are put into `command`.
pub(crate) fn parse<'a>(input: &'a [u8], command: &mut Command<'a>) -> Parsed {
    command.count = 0;
    let parsed = match input.first() {
        None => Parsed::Incomplete,
        Some(b'*') => array(input, command).unwrap_or_else(|stopped| stopped),
        Some(byte) if byte.is_ascii_alphabetic() || byte.is_ascii_whitespace() => {
            inline::parse(input, command)
        }
        Some(_) => Parsed::Broken(Broken::NotACommand),
    };
    match parsed {
        Parsed::Incomplete if input.len() >= MAX_FRAME => Parsed::Broken(Broken::FrameTooLarge),
        other => other,
    }
}

/// An array of bulk strings; `Err` when it is incomplete or broken.
fn array<'a>(input: &'a [u8], command: &mut Command<'a>) -> Result<Parsed, Parsed> {
    let mut rest = Rest { input, at: 1 };
    let count = rest.length(Broken::ArrayLength)?;
    if count > MAX_ARGUMENTS as i64 {
        return Err(Parsed::Broken(Broken::TooManyArguments));
    }
    for _ in 0..count {
        command.push(rest.bulk_string()?);
    }
    Ok(Parsed::Command(rest.at))
}

/// What is left to read.
struct Rest<'a> {
    input: &'a [u8],
    at: usize,
}

impl<'a> Rest<'a> {
    fn ahead(&self) -> &'a [u8] {
        self.input.get(self.at..).unwrap_or_default()
    }

    /// A length up to the end of its line.
    fn length(&mut self, broken: Broken) -> Result<i64, Parsed> {
        let ahead = self.ahead();
        let looked_at = ahead.get(..MAX_LENGTH_LINE).unwrap_or(ahead);
        let Some(end) = looked_at.iter().position(|byte| *byte == b'\r') else {
            let digits = looked_at
                .iter()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
            return Err(if digits && looked_at.len() < MAX_LENGTH_LINE {
                Parsed::Incomplete
            } else {
                Parsed::Broken(broken)
            });
        };
        let digits = ahead.get(..end).unwrap_or_default();
        let length = integer(digits).filter(|_| !digits.starts_with(b"+"));
        let length = length.ok_or(Parsed::Broken(broken))?;
        match ahead.get(end.saturating_add(1)) {
            None => Err(Parsed::Incomplete),
            Some(b'\n') => {
                self.at = self.at.saturating_add(end).saturating_add(2);
                Ok(length)
            }
            Some(_) => Err(Parsed::Broken(broken)),
        }
    }

    fn bulk_string(&mut self) -> Result<&'a [u8], Parsed> {
        match self.ahead().first() {
            None => return Err(Parsed::Incomplete),
            Some(b'$') => self.at = self.at.saturating_add(1),
            Some(_) => return Err(Parsed::Broken(Broken::NotABulkString)),
        }
        let length = self.length(Broken::ArgumentLength)?;
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= MAX_ARGUMENT)
            .ok_or(Parsed::Broken(Broken::ArgumentLength))?;
        let end = self.at.saturating_add(length);
        if end > MAX_FRAME {
            return Err(Parsed::Broken(Broken::FrameTooLarge));
        }
        let argument = self.input.get(self.at..end).ok_or(Parsed::Incomplete)?;
        match self.input.get(end..).unwrap_or_default() {
            [b'\r', b'\n', ..] => {
                self.at = end.saturating_add(2);
                Ok(argument)
            }
            [] | [b'\r'] => Err(Parsed::Incomplete),
            _ => Err(Parsed::Broken(Broken::LongerThanItsLength)),
        }
    }
}
