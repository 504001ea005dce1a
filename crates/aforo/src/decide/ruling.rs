//! A decision with everything that may be told of it.

use std::time::Duration;

use ::http::{HeaderMap, HeaderName, HeaderValue, Response};
use aforo_core::{Mode, Outcome, Quota, Verdict};
use smallvec::SmallVec;

use super::Receipt;
use crate::AnswerBody;
use crate::http::denial::DecisionId;
use crate::http::{Standing, fields};
use crate::way::{Entry, Ruled};

/// A decision with everything that may be told of it. What it took stays taken unless its
/// [`Receipt`] is given back.
pub struct Ruling {
    entry: Box<Entry>,
    denial: Option<Response<AnswerBody>>,
    id: DecisionId,
}

/// What is told of one policy.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Its name.
    pub policy: &'a str,
    /// Enforced or shadow.
    pub mode: Mode,
    /// Whether it lets this pass.
    pub fits: bool,
    /// Whether callers may see its name and numbers.
    pub disclosed: bool,
    /// Units that were asked for.
    pub cost: u64,
    /// Units that were taken.
    pub taken: u64,
    /// Its quota; `None` when it is 0.
    pub quota: Option<&'a Quota>,
    /// Its numbers; `None` with quota 0, and where its store failed.
    pub outcome: Option<Outcome>,
}

impl Told<'_> {
    /// Whether it denies.
    pub fn denies(&self) -> bool {
        self.mode == Mode::Enforce && !self.fits
    }

    /// Seconds, rounded up: where it does not fit, until it does; else those in which what remains
    /// may be spent, as the field `RateLimit` says (`t`). `None` when it is full, when it never
    /// fits, and when nothing is known.
    pub fn reset_seconds(&self) -> Option<u64> {
        let (quota, outcome) = (self.quota?, self.outcome.as_ref()?);
        match outcome.verdict {
            Verdict::Denied => return Some(outcome.wait.as_seconds_ceil()),
            Verdict::Impossible => return None,
            Verdict::Allowed => {}
        }
        let metered = Some((quota, outcome));
        Standing::new(self.policy, metered, None, false, self.taken).seconds(false)
    }
}

impl Ruling {
    pub(crate) fn new(ruled: Ruled) -> Self {
        let Ruled { entry, denial, id } = ruled;
        Self { entry, denial, id }
    }

    /// Its name: what the body of a denial calls `decision_id`.
    pub const fn id(&self) -> DecisionId {
        self.id
    }

    /// Whether to go on at once or after [`Ruling::delay`].
    pub const fn is_allowed(&self) -> bool {
        self.denial.is_none()
    }

    /// How long to wait before going on, for a leaky bucket.
    pub fn delay(&self) -> Option<Duration> {
        let delay = self.entry.delay;
        (!delay.is_zero()).then(|| delay.into())
    }

    /// The answer that the caller is to get instead: status, fields and body.
    pub const fn denial(&self) -> Option<&Response<AnswerBody>> {
        self.denial.as_ref()
    }

    /// Writes the fields that tell a caller where it stands, those of the denial if it is one.
    pub fn write_fields(&self, headers: &mut HeaderMap) {
        let _full = headers.try_reserve(fields::MOST);
        self.give_fields(|name, value| {
            let _full = headers.try_append(name, value);
        });
    }

    /// Gives the same fields away one by one, several of one name one after the other.
    pub fn give_fields(&self, mut take: impl FnMut(HeaderName, HeaderValue)) {
        if let Some(denial) = &self.denial {
            let told = denial.headers().iter();
            for (name, value) in told.filter(|(name, _)| *name != ::http::header::CONTENT_LENGTH) {
                take(name.clone(), value.clone());
            }
            return;
        }
        let standings: SmallVec<[Standing<'_>; 6]> = self
            .entry
            .lines
            .iter()
            .filter_map(|line| line.standing())
            .collect();
        let plan = self.entry.caller.plan.as_ref();
        let plan = plan.map(|plan| plan.name.as_str());
        let settings = self.entry.door.setup.settings();
        fields::give_standings(&standings, plan, &settings.responses, take);
    }

    /// All policies that were asked, in order; of a team's divided pool, the part that took part.
    pub fn told(&self) -> impl Iterator<Item = Told<'_>> {
        let asked = self.entry.lines.iter().filter(|line| !line.aside);
        asked.map(|line| Told {
            policy: line.name().as_str(),
            mode: line.mode,
            fits: !line.blocks() && line.outcome.as_ref().is_none_or(Outcome::is_allowed),
            disclosed: line.disclosed,
            cost: line.cost,
            taken: line.taken,
            quota: line.quota(),
            outcome: line.outcome,
        })
    }

    /// The consumer's id, when one was verified.
    pub fn consumer(&self) -> Option<&str> {
        let consumer = self.entry.caller.consumer.as_ref();
        consumer.map(|consumer| consumer.id.as_str())
    }

    /// The caller's plan.
    pub fn plan(&self) -> Option<&str> {
        let plan = self.entry.caller.plan.as_ref();
        plan.map(|plan| plan.name.as_str())
    }

    /// What it takes to give back what was taken; `None` when nothing was, or it was asked before.
    pub fn receipt(&mut self) -> Option<Receipt> {
        let receipts = std::mem::take(&mut self.entry.receipts);
        (!receipts.is_empty()).then(|| Receipt::new(&self.entry.door.setup, receipts))
    }
}

impl std::fmt::Debug for Ruling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ruling")
            .field("lines", &self.entry.lines)
            .field("denial", &self.denial)
            .finish_non_exhaustive()
    }
}
