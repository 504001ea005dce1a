//! What the script answers: the time, whether the batch was taken, and what each counter was
//! before. The pure core makes the outcomes of that.

use aforo_core::{Algorithm, Charge, Log, LogEntry, OnDenial, Outcome, Stored, Taken, Timestamp};

use super::numbers::{Bytes, WIDTH};
use crate::ReceiptLine;

/// The script's answer to a batch of charges.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) taken: bool,
    pub(super) now: Timestamp,
    priors: Vec<Prior>,
}

/// What a counter was before the charge.
#[derive(Clone, Debug)]
enum Prior {
    Nothing,
    Record(Stored),
    /// A log that decides as the kept one, and the id of its next entry.
    Log {
        log: Log,
        next: u64,
    },
}

/// What a charge came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) outcome: Outcome,
    fits: bool,
    taken: Taken,
}

impl Reply {
    /// Reads the answer about these charges; none when it is not one.
    pub(super) fn read(bytes: &[u8], charges: &[&Charge<'_>]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let (taken, as_kept) = match bytes.number(1)? {
            heading @ 0..=3 => (heading & 1 == 1, heading & 2 == 2),
            _ => return None,
        };
        let now = Timestamp::from_micros(bytes.number(WIDTH)?);
        let priors = charges
            .iter()
            .map(|charge| match as_kept {
                true => bytes.record().map(Prior::Record),
                false => prior(&mut bytes, charge),
            })
            .collect::<Option<_>>()?;
        bytes.0.is_empty().then_some(Self { taken, now, priors })
    }

    /// What each charge came to, when the batch was taken or not (which another slot may have
    /// decided).
    pub(super) fn judged<'t>(
        &'t self,
        charges: &'t [&Charge<'_>],
        taken: bool,
    ) -> impl Iterator<Item = Judged> + 't {
        let priors = self.priors.iter();
        charges
            .iter()
            .zip(priors)
            .map(move |(charge, prior)| prior.judge(charge, self.now, taken))
    }
}

impl Judged {
    /// The line of a receipt, when the batch and this charge were taken.
    pub(super) fn line(&self, place: usize, charge: &Charge<'_>) -> Option<ReceiptLine> {
        self.fits.then(|| ReceiptLine {
            place,
            tag: charge.terms.tag(),
            kind: charge.principal.kind,
            partition: charge.partition,
            quota: *charge.terms.quota(),
            taken: self.taken,
            shared: false,
        })
    }
}

fn prior(bytes: &mut Bytes<'_>, charge: &Charge<'_>) -> Option<Prior> {
    match bytes.number(1)? {
        0 => Some(Prior::Nothing),
        1 => bytes.stored().map(Prior::Record),
        2 => {
            let next = bytes.number(6)?;
            let runs = bytes.number(1)?;
            let entries = (0..runs)
                .map(|id| {
                    let (at, cost) = (bytes.number(WIDTH)?, bytes.number(2)?);
                    Some(LogEntry { at, cost, id })
                })
                .collect::<Option<Vec<_>>>()?;
            let log = Log::restore(charge.terms.quota().shape(), entries);
            Some(Prior::Log { log, next })
        }
        _ => None,
    }
}

impl Prior {
    fn judge(&self, charge: &Charge<'_>, now: Timestamp, taken: bool) -> Judged {
        let cost = charge.cost;
        if taken || charge.on_denial == OnDenial::Keep {
            return self.put(charge, cost, now, taken).0;
        }
        // Denials count: what fits is taken, and the outcome tells what is left then.
        let (untouched, _) = self.put(charge, cost, now, false);
        if untouched.fits {
            return self.put(charge, cost, now, true).0;
        }
        let units = cost.min(untouched.outcome.remaining);
        let (_, after) = self.put(charge, units, now, true);
        after.put(charge, cost, now, false).0
    }

    /// Puts a charge against the counter: what it comes to, and what the counter is then.
    fn put(&self, charge: &Charge<'_>, cost: u64, now: Timestamp, take: bool) -> (Judged, Self) {
        let quota = charge.terms.quota();
        if quota.algorithm() == Algorithm::SlidingLog {
            return self.put_on_log(charge, cost, now, take);
        }
        let stored = match self {
            Self::Record(stored) => Some(stored),
            Self::Nothing | Self::Log { .. } => None,
        };
        let assessment = quota.assess(stored, now, charge.edges.as_ref(), cost);
        let judged = Judged {
            outcome: assessment.outcome(take),
            fits: assessment.fits(),
            taken: assessment.taken(),
        };
        let shape = quota.shape();
        let after = match assessment.state(take) {
            Some(state) => Self::Record(Stored { shape, state }),
            None => self.clone(),
        };
        (judged, after)
    }

    fn put_on_log(
        &self,
        charge: &Charge<'_>,
        cost: u64,
        now: Timestamp,
        take: bool,
    ) -> (Judged, Self) {
        let quota = charge.terms.quota();
        let (mut log, next) = match self {
            Self::Nothing => (Log::default(), 0),
            Self::Record(stored) => {
                let log = Log::carried(quota, stored);
                let next = u64::from(!log.is_empty());
                (log, next)
            }
            Self::Log { log, next } => (log.clone(), *next),
        };
        let assessment = quota.assess_log(&log, now, cost);
        let mut taken = assessment.apply(&mut log, take);
        let fits = assessment.verdict() == aforo_core::Verdict::Allowed;
        if take && fits && cost > 0 {
            taken.mark = next;
        }
        let judged = Judged {
            outcome: assessment.outcome(take),
            fits,
            taken,
        };
        (judged, Self::Log { log, next })
    }
}
