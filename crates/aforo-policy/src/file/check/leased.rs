//! What cannot be taken in advance.

use aforo_core::{Algorithm, Mode};

use super::Checker;
use crate::file::raw::{CountWord, RawCount, RawPolicy};
use crate::{Allowance, Precision};

impl Checker<'_> {
    /// Policies that `precision = "leased"` makes no sense for.
    pub(super) fn check_leased(&mut self, raw: &RawPolicy, allowances: &[&Allowance]) {
        let Some(precision) = raw.precision.get() else {
            return;
        };
        if precision.value != Precision::Leased {
            return;
        }
        let unfit = allowances.iter().find_map(|allowance| match allowance {
            Allowance::Metered(metered) => match metered.terms.quota().algorithm() {
                Algorithm::LeakyBucket => Some("a leaky-bucket"),
                Algorithm::SlidingLog => Some("a sliding-log"),
                _ => None,
            },
            Allowance::Unlimited | Allowance::Blocked => None,
        });
        if let Some(algorithm) = unfit {
            self.findings
                .add(precision.at, format!("{algorithm} cannot be leased"))
                .expected("a token-bucket, a fixed-window or a sliding-window")
                .help("leave out `precision`, or choose another algorithm");
        }
        let counts_all = match raw.count.get() {
            None => true,
            Some(RawCount::Word(word)) => word.value == CountWord::All,
            Some(RawCount::Statuses(_)) => false,
        };
        if !counts_all {
            self.cannot_be_leased(precision.at, "that counts by result", "count");
        }
        if raw.denials.get().is_some_and(|denials| denials.value) {
            self.cannot_be_leased(precision.at, "that counts denials", "denials");
        }
        if raw
            .action
            .get()
            .is_some_and(|action| action.value == Mode::Shadow)
        {
            self.cannot_be_leased(precision.at, "that only watches", "action");
        }
    }

    fn cannot_be_leased(&mut self, at: crate::file::source::Location, what: &str, field: &str) {
        self.findings
            .add(at, format!("a policy {what} cannot be leased"))
            .help(format!("leave out `precision` or `{field}`"));
    }
}
