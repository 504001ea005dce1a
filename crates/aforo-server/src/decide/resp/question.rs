//! What is asked of the limiter, and what it answers.

use std::rc::Rc;

use aforo::core::{Decision, Denial, Outcome, Span};
use aforo::decide::Throttle;
use aforo::{Check, CheckError, Limiter};

use super::reply::Reply;

/// A question whose store has to be waited for.
#[derive(Debug)]
pub(super) enum Question {
    /// `CL.THROTTLE`.
    Throttle {
        throttle: Rc<Throttle>,
        key: Vec<u8>,
        cost: u64,
    },
    /// `AFORO.DECIDE`.
    Decide {
        policy: String,
        partition: Vec<u8>,
        cost: u64,
    },
}

impl Question {
    /// Asks, and writes the answer.
    pub(super) async fn answer(&self, limiter: &Limiter, reply: &mut Reply<'_>) {
        let checked = match self {
            Self::Throttle {
                throttle,
                key,
                cost,
            } => limiter.throttle(throttle, key, *cost).await,
            Self::Decide {
                policy,
                partition,
                cost,
            } => limiter.check_cost(policy, partition, *cost).await,
        };
        tell(checked, reply);
    }
}

/// Writes five integers: whether it is limited (0 or 1), the limit, what remains, seconds until to
/// try again (-1: not limited, or trying again does not help), seconds until all of it is back.
///
/// What is not known, since there is no quota or the store failed, is -1. Seconds are rounded up, so
/// that whoever waits that long is let pass; redis-cell rounds them down.
pub(super) fn tell(checked: Result<Check, CheckError>, reply: &mut Reply<'_>) {
    let check = match checked {
        Ok(check) => check,
        Err(CheckError::UnknownPolicy(_)) => {
            return reply.error("ERR there is no such policy; name it in [policies]");
        }
        Err(_) => return reply.error("UNAVAILABLE the store failed; try again in a second"),
    };
    let (limited, again) = match check.decision {
        Decision::Allow => (0, -1),
        Decision::Delay(delay) => (0, seconds(delay)),
        Decision::Deny(Denial::Later(wait)) => (1, seconds(wait).max(1)),
        Decision::Deny(Denial::Impossible) => (1, -1),
    };
    let (limit, remaining, reset) = match &check.outcome {
        Some(outcome) => numbers(outcome),
        None if limited == 1 => (0, 0, -1),
        None => (-1, -1, -1),
    };
    reply.array(5);
    for number in [limited, limit, remaining, again, reset] {
        reply.integer(number);
    }
}

fn numbers(outcome: &Outcome) -> (i64, i64, i64) {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let reset = seconds(outcome.whole_again);
    (number(outcome.capacity), number(outcome.remaining), reset)
}

fn seconds(span: Span) -> i64 {
    i64::try_from(span.as_seconds_ceil()).unwrap_or(i64::MAX)
}
