//! Policies that are parts of a team's pool: what a member has for itself comes first, the rest of
//! the pool only when that is used up.
//!
//! Each try is one batch, all or nothing, with one of the two parts in it, so that both hold
//! however many requests race.

use aforo_core::Verdict;
use aforo_policy::Share;

use super::{How, Line, Put, Taking};

impl Put<'_> {
    /// Whether the request takes from a divided pool.
    pub(super) fn divides_pool(&self) -> bool {
        let mut policies = self.planned.iter().map(|planned| planned.policy);
        self.divides_pools && policies.any(|policy| policy.share.is_some())
    }
}

impl Taking<'_> {
    /// Whether a denial by a member's own part leaves the rest of the pool to be asked.
    pub(super) fn may_fall_back(&self) -> bool {
        let pairs = self.lines.windows(2);
        pairs.into_iter().any(is_open)
    }

    /// After a denial by nothing but members' own parts: the rest of their pools takes their place,
    /// and nothing is known of the other policies.
    pub(super) fn falls_back(&mut self) -> bool {
        let own_parts = (0..self.lines.len()).filter(|index| self.falls_back_at(*index));
        let own_parts = own_parts.count();
        let violated = self.lines.iter().filter(|line| line.is_violated()).count();
        if self.failure.is_some() || own_parts == 0 || own_parts < violated {
            return false;
        }
        let mut rest_follows = false;
        for index in 0..self.lines.len() {
            let falls_back = self.falls_back_at(index);
            let Some(line) = self.lines.get_mut(index) else {
                continue;
            };
            if falls_back {
                line.aside = true;
            } else if std::mem::take(&mut rest_follows) {
                line.aside = false;
            }
            rest_follows = falls_back;
            if !line.aside {
                line.outcome = None;
            }
            line.seat = None;
            line.taken = 0;
        }
        true
    }

    fn falls_back_at(&self, index: usize) -> bool {
        let pair = self.lines.get(index..index.saturating_add(2));
        pair.is_some_and(|pair| is_open(pair) && pair.first().is_some_and(Line::is_violated))
    }

    /// A request that both parts of a pool denied may come back when the first of them holds it.
    pub(super) fn wait_for_the_nearer(&mut self) {
        for pair in (0..self.lines.len()).map(|index| index..index.saturating_add(2)) {
            let Some([own, rest]) = self.lines.get_mut(pair) else {
                continue;
            };
            if own.aside && own.share == Some(Share::Guaranteed) && is_nearer(own, rest) {
                own.aside = false;
                rest.aside = true;
            }
        }
    }

    /// What counts denials was left out while a part could still take another's place.
    pub(super) fn withheld_denials(&self, how: How) -> bool {
        let counts = |line: &Line| line.counts_denials;
        how == How::Take
            && self.is_denied()
            && self.may_fall_back()
            && self.lines.iter().any(counts)
    }
}

/// Whether these are a member's own part and the rest of the pool, which was not asked yet.
fn is_open(pair: &[Line]) -> bool {
    let [own, rest] = pair else {
        return false;
    };
    own.share == Some(Share::Guaranteed)
        && !own.aside
        && rest.share == Some(Share::Rest)
        && rest.aside
}

/// Whether the member's own part holds a denied request before the rest of the pool does.
fn is_nearer(own: &Line, rest: &Line) -> bool {
    let waits = |line: &Line| line.outcome.filter(|one| one.verdict == Verdict::Denied);
    let own = waits(own).map(|outcome| outcome.wait);
    let is_impossible = rest
        .outcome
        .is_some_and(|one| one.verdict == Verdict::Impossible);
    let rest_waits = waits(rest).map(|outcome| outcome.wait);
    match (own, rest_waits) {
        (Some(own), Some(rest)) => own <= rest,
        (Some(_), None) => is_impossible,
        _ => false,
    }
}
