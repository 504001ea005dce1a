//! The decision over the outcomes of one request.

use crate::{Mode, Outcome, Span, Verdict};

/// What happens with the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It goes on at once.
    Allow,
    /// It goes on after a wait (a leaky bucket's slot).
    Delay(Span),
    /// It is refused.
    Deny(Denial),
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// Later it would pass: after the longest wait among the violated policies.
    Later(Span),
    /// It costs more than a policy's capacity: it would never pass.
    Impossible,
}

/// Joins outcomes: a request passes when every enforced charge fits, held for the longest delay;
/// otherwise it waits for the longest wait, or for ever when one charge is impossible.
pub fn decide<'a>(outcomes: impl IntoIterator<Item = (Mode, &'a Outcome)>) -> Decision {
    let mut delay = Span::ZERO;
    let mut wait: Option<Span> = None;
    let mut impossible = false;
    for (mode, outcome) in outcomes {
        match (mode, outcome.verdict) {
            (Mode::Shadow, _) => {}
            (Mode::Enforce, Verdict::Allowed) => delay = delay.max(outcome.delay),
            (Mode::Enforce, Verdict::Denied) => wait = wait.max(Some(outcome.wait)),
            (Mode::Enforce, Verdict::Impossible) => impossible = true,
        }
    }
    match (impossible, wait) {
        (true, _) => Decision::Deny(Denial::Impossible),
        (false, Some(wait)) => Decision::Deny(Denial::Later(wait)),
        (false, None) if delay.is_zero() => Decision::Allow,
        (false, None) => Decision::Delay(delay),
    }
}
