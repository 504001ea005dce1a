//! What a client has said so far, and its commands.

use aforo::decide::Asked;

use super::desk::Desk;
use super::question::{Question, tell};
use super::reply::Reply;
use super::wire::{Broken, Command};
use super::{information, wire};

/// After so many wrong tokens the connection ends.
const MOST_WRONG: u8 = 3;

/// What a client has said so far.
#[derive(Debug, Default)]
pub(super) struct Session {
    is_known: bool,
    resp3: bool,
    wrong: u8,
}

/// How a connection goes on after a command.
#[derive(Debug)]
pub(super) enum Flow {
    /// With the next command.
    On,
    /// With the answer to this.
    Ask(Question),
    /// Not at all.
    Close,
}

/// Why a command has no answer but an error.
type Refused = &'static str;

impl Session {
    /// Whether its client reads RESP3.
    pub(super) const fn resp3(&self) -> bool {
        self.resp3
    }

    /// Answers what is no command; the connection ends then.
    pub(super) fn broken(&self, broken: Broken, out: &mut Vec<u8>) {
        let expected = match broken {
            // A browser is told nothing.
            Broken::Http => return,
            Broken::ArrayLength => "ERR Protocol error: expected *COUNT of arguments",
            Broken::ArgumentLength => "ERR Protocol error: expected $LENGTH, 0 to 16384 bytes",
            Broken::NotABulkString => "ERR Protocol error: expected a bulk string, $LENGTH",
            Broken::LongerThanItsLength => {
                "ERR Protocol error: an argument is longer than its length"
            }
            Broken::TooManyArguments => "ERR Protocol error: too many arguments, at most 16",
            Broken::FrameTooLarge => "ERR Protocol error: too large, at most 32768 bytes",
            Broken::LineTooLong => "ERR Protocol error: too long a line, at most 4096 bytes",
            Broken::NotACommand => "ERR Protocol error: expected a command",
        };
        Reply::new(out, self.resp3).error(expected);
    }

    /// Answers a command.
    pub(super) fn run(&mut self, command: &Command<'_>, desk: &Desk, out: &mut Vec<u8>) -> Flow {
        let Some((name, arguments)) = command.arguments().split_first() else {
            return Flow::On;
        };
        let mut reply = Reply::new(out, self.resp3);
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        let open = self.is_known || desk.token.is_none();
        let flow = if is(b"CL.THROTTLE") && open {
            throttle(arguments, desk, &mut reply)
        } else if is(b"AFORO.DECIDE") && open {
            decide(arguments, desk, &mut reply)
        } else if is(b"AUTH") {
            self.auth(arguments, desk, &mut reply)
        } else if is(b"HELLO") {
            return self.hello(arguments, desk, out);
        } else if is(b"QUIT") {
            reply.simple("OK");
            Ok(Flow::Close)
        } else if !open {
            Err("NOAUTH Authentication required.")
        } else if is(b"PING") {
            ping(arguments, &mut reply)
        } else if is(b"COMMAND") {
            information::command(&mut reply, arguments);
            Ok(Flow::On)
        } else if is(b"INFO") {
            information::info(&mut reply);
            Ok(Flow::On)
        } else {
            Err(
                "ERR unknown command; this is Aforo: CL.THROTTLE, AFORO.DECIDE, PING, HELLO, AUTH, \
                 COMMAND, INFO, QUIT",
            )
        };
        flow.unwrap_or_else(|refused| {
            reply.error(refused);
            Flow::On
        })
    }

    /// `AUTH [user] token`. There are no users: the name is passed over.
    fn auth(
        &mut self,
        arguments: &[&[u8]],
        desk: &Desk,
        reply: &mut Reply<'_>,
    ) -> Result<Flow, Refused> {
        let ([token] | [_, token]) = arguments else {
            return Err("ERR expected AUTH [user] token");
        };
        if self.admits(token, desk)? {
            reply.simple("OK");
            return Ok(Flow::On);
        }
        reply.error("WRONGPASS this is not the token");
        Ok(self.after_wrong())
    }

    fn admits(&mut self, token: &[u8], desk: &Desk) -> Result<bool, Refused> {
        let known = desk.token.as_ref();
        let known = known.ok_or("ERR no token is asked for; leave AUTH out")?;
        self.is_known = known.is(token);
        Ok(self.is_known)
    }

    /// Guessing takes a new connection every few tries.
    fn after_wrong(&mut self) -> Flow {
        self.wrong = self.wrong.saturating_add(1);
        match self.wrong {
            MOST_WRONG.. => Flow::Close,
            _ => Flow::On,
        }
    }

    /// `HELLO [2 | 3 [AUTH user token] [SETNAME name]]`.
    fn hello(&mut self, arguments: &[&[u8]], desk: &Desk, out: &mut Vec<u8>) -> Flow {
        match self.greeted(arguments, desk) {
            Ok(true) => {
                let protocol = if self.resp3 { 3 } else { 2 };
                information::hello(&mut Reply::new(out, self.resp3), protocol);
                Flow::On
            }
            Ok(false) => {
                Reply::new(out, self.resp3).error("WRONGPASS this is not the token");
                self.after_wrong()
            }
            Err(refused) => {
                Reply::new(out, self.resp3).error(refused);
                Flow::On
            }
        }
    }

    /// Whether the token was right, if there was one.
    fn greeted(&mut self, arguments: &[&[u8]], desk: &Desk) -> Result<bool, Refused> {
        let (version, mut options) = match arguments.split_first() {
            None => (self.resp3, arguments),
            Some((&b"2", options)) => (false, options),
            Some((&b"3", options)) => (true, options),
            Some(_) => return Err("NOPROTO expected HELLO 2 or HELLO 3"),
        };
        while let Some((option, rest)) = options.split_first() {
            options = match rest {
                [_user, token, rest @ ..] if option.eq_ignore_ascii_case(b"AUTH") => {
                    if !self.admits(token, desk)? {
                        return Ok(false);
                    }
                    rest
                }
                [_name, rest @ ..] if option.eq_ignore_ascii_case(b"SETNAME") => rest,
                _ => return Err("ERR expected HELLO [2 | 3 [AUTH user token] [SETNAME name]]"),
            };
        }
        if !self.is_known && desk.token.is_some() {
            return Err("NOAUTH HELLO must be called with AUTH, or after it");
        }
        self.resp3 = version;
        Ok(true)
    }
}

fn ping(arguments: &[&[u8]], reply: &mut Reply<'_>) -> Result<Flow, Refused> {
    match arguments {
        [] => reply.simple("PONG"),
        [message] => reply.bulk(message),
        _ => return Err("ERR expected PING [message]"),
    }
    Ok(Flow::On)
}

/// `CL.THROTTLE key max_burst count period [quantity]`.
fn throttle(arguments: &[&[u8]], desk: &Desk, reply: &mut Reply<'_>) -> Result<Flow, Refused> {
    let (key, burst, count, period, quantity) = match arguments {
        [key, burst, count, period] => (key, burst, count, period, &&b"1"[..]),
        [key, burst, count, period, quantity] => (key, burst, count, period, quantity),
        _ => return Err("ERR expected CL.THROTTLE key max_burst count period [quantity]"),
    };
    let burst = number(burst).ok_or("ERR expected max_burst, an integer of 0 or more")?;
    let count = number(count).filter(|count| *count > 0);
    let count = count.ok_or("ERR expected count, an integer of 1 or more")?;
    let period = number(period).filter(|period| *period > 0);
    let period = period.ok_or("ERR expected period, an integer of 1 or more seconds")?;
    let cost = number(quantity).ok_or("ERR expected quantity, an integer of 0 or more")?;
    let throttle = desk
        .throttles
        .of((burst.saturating_add(1), count, period))
        .map_err(|_quota| {
            "ERR this quota cannot be counted exactly: smaller numbers, a period of at most 400 days"
        })?;
    match desk.limiter.throttle_now(&throttle, key, cost) {
        Some(checked) => tell(checked, reply),
        None => {
            return Ok(Flow::Ask(Question::Throttle {
                throttle,
                key: key.to_vec(),
                cost,
            }));
        }
    }
    Ok(Flow::On)
}

/// `AFORO.DECIDE policy partition [cost]`.
fn decide(arguments: &[&[u8]], desk: &Desk, reply: &mut Reply<'_>) -> Result<Flow, Refused> {
    let (policy, partition, cost) = match arguments {
        [policy, partition] => (policy, partition, 1),
        [policy, partition, cost] => {
            let cost = number(cost).ok_or("ERR expected cost, an integer of 0 or more")?;
            (policy, partition, cost)
        }
        _ => return Err("ERR expected AFORO.DECIDE policy partition [cost]"),
    };
    // No policy has a name that is not UTF-8.
    let policy = std::str::from_utf8(policy).unwrap_or_default();
    let asked = Asked {
        policy,
        partition: &[partition],
        cost,
    };
    match desk.limiter.check_at_once(asked) {
        Some(checked) => tell(checked, reply),
        None => {
            return Ok(Flow::Ask(Question::Decide {
                policy: policy.to_owned(),
                partition: partition.to_vec(),
                cost,
            }));
        }
    }
    Ok(Flow::On)
}

/// A number of 0 or more.
fn number(text: &[u8]) -> Option<u64> {
    wire::integer(text).and_then(|number| u64::try_from(number).ok())
}
