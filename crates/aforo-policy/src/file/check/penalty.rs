//! `penalty` of a policy.

use std::sync::Arc;

use aforo_core::{Mode, PolicyName, Span};

use super::Checker;
use crate::file::length;
use crate::file::raw::RawPolicy;
use crate::file::read::{List, Text};
use crate::file::source::Location;
use crate::{Penalty, Precision};

/// The most steps: each is looked at with every request.
const MOST_STEPS: usize = 8;

impl Checker<'_> {
    /// What repeated denials of a policy lead to.
    pub(super) fn penalty(&mut self, raw: &RawPolicy, name: &PolicyName) -> Option<Arc<Penalty>> {
        let list = raw.penalty.get()?;
        self.check_penalised(raw, list.at);
        let before = self.findings.len();
        let steps = self.steps(list);
        if self.findings.len() != before {
            return None;
        }
        match Penalty::new(name, &steps) {
            Ok(penalty) => {
                self.check_counter_names(&penalty, name, list.at);
                Some(Arc::new(penalty))
            }
            Err(error) => {
                self.findings
                    .add(list.at, format!("a wrong length: {error}"));
                None
            }
        }
    }

    /// The lengths, rising.
    fn steps(&mut self, list: &List<Text>) -> Vec<Span> {
        if list.empty {
            self.findings
                .add(list.at, "a penalty of no steps")
                .expected("lengths such as [\"1min\", \"10min\", \"1h\"]");
        }
        if list.items.len() > MOST_STEPS {
            self.findings
                .add(list.at, format!("a penalty of {} steps", list.items.len()))
                .expected(format!("at most {MOST_STEPS}"));
        }
        let mut steps: Vec<Span> = Vec::new();
        for text in list.iter() {
            match length::parse(text.as_str()) {
                Ok(step) if steps.last().is_some_and(|last| step <= *last) => {
                    let message = format!("`{}` is not longer than the step before", text.written);
                    self.findings
                        .add(text.at, message)
                        .help("each step blocks for longer");
                }
                Ok(step) if step < Span::from_millis(1) => {
                    self.findings
                        .add(text.at, "a block of no time")
                        .expected("1ms or more");
                }
                Ok(step) => steps.push(step),
                Err(error) => {
                    self.findings
                        .add(text.at, text.told(error.0))
                        .expected("a length such as 30s, 10min or 1h");
                }
            }
        }
        steps
    }

    /// What does not go with a penalty.
    fn check_penalised(&mut self, raw: &RawPolicy, at: Location) {
        let is_shadow = raw
            .action
            .get()
            .is_some_and(|action| action.value == Mode::Shadow);
        let counts_denials = raw.denials.get().is_some_and(|denials| denials.value);
        let precision = raw.precision.get();
        let is_leased = precision.is_some_and(|precision| precision.value == Precision::Leased);
        for (is_there, field) in [
            (is_shadow, "action"),
            (counts_denials, "denials"),
            (is_leased, "precision"),
        ] {
            if is_there {
                self.findings
                    .add(at, format!("`penalty` does not go with this `{field}`"))
                    .help(format!("leave out `penalty` or `{field}`"));
            }
        }
    }

    /// Its counters have names of their own.
    fn check_counter_names(&mut self, penalty: &Penalty, name: &PolicyName, at: Location) {
        if penalty.names().any(|counter| counter == name.as_str()) {
            self.findings
                .add(
                    at,
                    format!("the name `{name}` is too long for a policy with a penalty"),
                )
                .expected("at most 56 letters");
            return;
        }
        let mut names = penalty.names();
        let taken =
            names.find_map(|counter| Some((counter.to_owned(), self.names.0.get(counter)?.at)));
        if let Some((counter, first)) = taken {
            self.findings
                .add(
                    at,
                    format!("the penalty counts as `{counter}`, and another policy is named so"),
                )
                .also(first, "the other one is here")
                .help("give the other one another name");
        }
    }
}
