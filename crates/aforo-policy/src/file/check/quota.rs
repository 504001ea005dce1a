//! Quota strings of the file, with their places.

use aforo_core::PolicyName;
use jiff::tz::TimeZone;

use super::Checker;
use crate::Allowance;
use crate::file::quota::{About, QuotaFields, QuotaText, Senseless};
use crate::file::raw::{QuotaValue, RawPolicy};
use crate::file::read::{Field, Text};
use crate::settings::time_zone;

/// The quotas of a policy, parsed.
pub(super) struct Quotas<'r> {
    /// For everybody that `by_plan` does not name.
    pub(super) default: Option<(&'r Text, QuotaText)>,
    pub(super) by_plan: Vec<(&'r Text, &'r Text, QuotaText)>,
}

impl<'r> Quotas<'r> {
    /// The quota that names the policy: the default one, else the first.
    pub(super) fn naming(&self) -> Option<QuotaText> {
        let first = self.by_plan.first().map(|(_, _, quota)| *quota);
        self.default.as_ref().map(|(_, quota)| *quota).or(first)
    }

    fn all(&self) -> impl Iterator<Item = (&'r Text, QuotaText)> + '_ {
        let by_plan = self.by_plan.iter().map(|(_, text, quota)| (*text, *quota));
        let default = self.default.iter().map(|(text, quota)| (*text, *quota));
        default.chain(by_plan)
    }
}

impl Checker<'_> {
    /// Parses one quota string.
    pub(super) fn quota_text(&mut self, text: &Text) -> Option<QuotaText> {
        match text.as_str().parse::<QuotaText>() {
            Ok(quota) => Some(quota),
            Err(error) => {
                let fault = self.findings.add(
                    text.part(error.place.clone()),
                    text.told(format!("a wrong quota: {}", error.message)),
                );
                fault.expected(error.expected);
                if let Some(help) = error.help {
                    fault.help(help);
                }
                None
            }
        }
    }

    /// Parses all quotas of a policy. `None` when one is wrong.
    pub(super) fn quotas<'r>(&mut self, value: &'r QuotaValue) -> Option<Quotas<'r>> {
        let before = self.findings.len();
        let mut quotas = Quotas {
            default: None,
            by_plan: Vec::new(),
        };
        match value {
            QuotaValue::One(text) => {
                quotas.default = self.quota_text(text).map(|quota| (text, quota));
            }
            QuotaValue::ByPlan(named) => {
                for (plan, text) in &named.0 {
                    let quota = self.quota_text(text);
                    if plan.value == "default" {
                        quotas.default = quota.map(|quota| (text, quota));
                    } else if self.check_plan(plan) {
                        quotas
                            .by_plan
                            .extend(quota.map(|quota| (plan, text, quota)));
                    }
                }
            }
        }
        (self.findings.len() == before).then_some(quotas)
    }

    /// The fields of a policy that say more about its quotas.
    pub(super) fn quota_fields(&mut self, raw: &RawPolicy) -> QuotaFields {
        QuotaFields {
            burst: raw.burst.get().map(|burst| burst.value),
            algorithm: raw.algorithm.get().map(|algorithm| algorithm.value),
            window: raw.window.get().map(|window| window.value),
            max_delay: self.positive_length(&raw.max_delay),
            time_zone: self.time_zone(&raw.time_zone),
            anchor_day: self.anchor_day(raw),
        }
    }

    fn time_zone(&mut self, field: &Field<Text>) -> Option<TimeZone> {
        let text = field.get()?;
        let zone = time_zone(text.as_str());
        if zone.is_none() {
            self.findings
                .add(text.at, format!("there is no time zone `{}`", text.written))
                .expected("a name of the IANA time zone database such as Europe/Madrid, or UTC");
        }
        zone
    }

    fn anchor_day(&mut self, raw: &RawPolicy) -> Option<u8> {
        let day = raw.anchor_day.get()?;
        let valid = u8::try_from(day.value)
            .ok()
            .filter(|day| (1..=31).contains(day));
        if valid.is_none() {
            self.findings
                .add(day.at, format!("a month has no day {}", day.value))
                .expected("1 to 31");
        }
        valid
    }

    /// What a quota of the policy allows.
    pub(super) fn allowance(
        &mut self,
        raw: Option<&RawPolicy>,
        text: &Text,
        quota: &QuotaText,
        name: &PolicyName,
        fields: &QuotaFields,
    ) -> Option<Allowance> {
        match quota.allowance(name, fields) {
            Ok(allowance) => Some(allowance),
            Err(senseless) => {
                self.senseless(raw, text, &senseless);
                None
            }
        }
    }

    fn senseless(&mut self, raw: Option<&RawPolicy>, text: &Text, senseless: &Senseless) {
        let at = raw.and_then(|raw| match senseless.about {
            About::Quota => None,
            About::Burst => raw.burst.get().map(|field| field.at),
            About::Algorithm => raw.algorithm.get().map(|field| field.at),
            About::Window => raw.window.get().map(|field| field.at),
            About::MaxDelay => raw.max_delay.get().map(|field| field.at),
        });
        let fault = self
            .findings
            .add(at.unwrap_or(text.at), text.told(&senseless.message));
        if let Some(help) = &senseless.help {
            fault.help(help.clone());
        }
    }

    /// Fields of a calendar that no quota of the policy has.
    pub(super) fn check_calendar(&mut self, raw: &RawPolicy, allowances: &[&Allowance]) {
        let mut calendars = allowances.iter().filter_map(|allowance| match allowance {
            Allowance::Metered(metered) => metered.calendar.as_ref(),
            Allowance::Unlimited | Allowance::Blocked => None,
        });
        if let Some(anchor) = raw.anchor_day.get()
            && !calendars
                .clone()
                .any(|calendar| calendar.unit == aforo_core::CalendarUnit::Month)
        {
            self.findings
                .add(anchor.at, "`anchor_day` is for a month of the calendar")
                .help("leave it out, or take a quota per month");
        }
        if let Some(zone) = raw.time_zone.get()
            && calendars.next().is_none()
        {
            self.findings
                .add(zone.at, "`time_zone` is for a window of the calendar")
                .help("leave it out, or make the quota a fixed-window of one minute, hour, day, week or month");
        }
    }

    /// Costs that never fit.
    pub(super) fn check_cost(&mut self, raw: &RawPolicy, allowances: &[&Allowance]) {
        let Some(cost) = raw.cost.get() else {
            return;
        };
        let capacities = allowances.iter().filter_map(|allowance| match allowance {
            Allowance::Metered(metered) => Some(metered.terms.quota().capacity()),
            Allowance::Unlimited | Allowance::Blocked => None,
        });
        if let Some(capacity) = capacities.filter(|capacity| *capacity < cost.value).min() {
            self.findings
                .add(cost.at, format!("a cost of {} never fits", cost.value))
                .expected(format!(
                    "at most {capacity}, which is all the policy holds at once"
                ));
        }
    }

    /// All quotas of a policy as allowances.
    pub(super) fn allowances(
        &mut self,
        raw: &RawPolicy,
        quotas: &Quotas<'_>,
        name: &PolicyName,
        fields: &QuotaFields,
    ) -> Option<(
        Option<Allowance>,
        std::collections::BTreeMap<String, Allowance>,
    )> {
        let before = self.findings.len();
        let default = quotas
            .default
            .as_ref()
            .and_then(|(text, quota)| self.allowance(Some(raw), text, quota, name, fields));
        let mut by_plan = std::collections::BTreeMap::new();
        for (plan, text, quota) in &quotas.by_plan {
            if let Some(allowance) = self.allowance(Some(raw), text, quota, name, fields) {
                by_plan.insert(plan.value.clone(), allowance);
            }
        }
        if quotas.all().next().is_none() {
            self.findings.add(raw.place, "a quota for no plan at all");
        }
        (self.findings.len() == before).then_some((default, by_plan))
    }
}
