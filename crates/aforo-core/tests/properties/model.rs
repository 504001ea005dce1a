//! The algorithms in exact rationals, written from their definitions: what is *used* at a time,
//! and a search for the first time at which a charge fits. No formula of the code is used.

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::spec::{Kind, Spec};

type Rational = BigRational;

/// What the model says of a charge; spans in microseconds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub allowed: bool,
    pub impossible: bool,
    pub remaining: u64,
    pub wait: u64,
    pub next: u64,
    pub whole: u64,
    pub delay: u64,
}

/// One policy and partition key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    kept: Option<Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    spec: Spec,
    form: Form,
}

/// What is known, and the time of the last admitted charge, a multiple of the unit.
#[derive(Clone, Debug)]
struct Form {
    last: i128,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// Units that have not flowed back.
    Used(Rational),
    /// Units of the window of `last`, and when a window from the first hit ends.
    Count(u64, i128),
    /// Units of the window of `last` and of the one before.
    Two(u64, u64),
    /// Time and units of each charge.
    Entries(Vec<(i128, u64)>),
}

pub(crate) fn whole(number: impl Into<BigInt>) -> Rational {
    Rational::from_integer(number.into())
}

pub(crate) fn ratio(a: impl Into<BigInt>, b: impl Into<BigInt>) -> Rational {
    Rational::new(a.into(), b.into())
}

fn ceil(number: &Rational) -> u64 {
    number.ceil().to_integer().try_into().unwrap()
}

impl Spec {
    fn unit(&self) -> i128 {
        i128::from(self.unit_and_shape().0)
    }

    fn rate(&self) -> Rational {
        ratio(self.amount, self.window)
    }

    /// What can be used at once, with its fraction.
    fn room(&self) -> Rational {
        match self.kind {
            Kind::Token { burst: Some(burst) } => whole(burst),
            Kind::Leaky { delay } => whole(delay) * self.rate() + whole(1),
            _ => whole(self.amount),
        }
    }

    fn capacity(&self) -> u64 {
        self.room().floor().to_integer().try_into().unwrap()
    }

    fn index(&self, at: i128) -> i128 {
        match self.kind {
            Kind::Calendar(calendar) => calendar.window(at),
            _ => at.div_euclid(i128::from(self.window)),
        }
    }

    /// The end of a window that holds `at`: from there, or aligned. A calendar's is not used.
    fn end(&self, at: i128) -> i128 {
        let window = i128::from(self.window);
        match self.kind {
            Kind::Fixed => (self.index(at) + 1) * window,
            _ => at + window,
        }
    }

    fn algorithm(&self) -> u8 {
        match self.kind {
            Kind::Token { .. } => 0,
            Kind::Leaky { .. } => 1,
            Kind::Fixed | Kind::FirstHit | Kind::Calendar(_) => 2,
            Kind::Sliding => 3,
            Kind::Log => 4,
        }
    }

    fn shape(&self) -> (u8, (u64, u64)) {
        (self.algorithm(), self.unit_and_shape())
    }

    fn nothing(&self, last: i128) -> Form {
        self.holding(last, 0)
    }

    /// `used` units at once at `last`, no more than there is room for.
    fn holding(&self, last: i128, used: u64) -> Form {
        let units = used.min(self.capacity());
        let content = match self.kind {
            Kind::Token { .. } | Kind::Leaky { .. } => Content::Used(whole(used).min(self.room())),
            Kind::Fixed | Kind::FirstHit | Kind::Calendar(_) => {
                Content::Count(units, self.end(last))
            }
            Kind::Sliding => Content::Two(units, 0),
            Kind::Log if units == 0 => Content::Entries(Vec::new()),
            Kind::Log => Content::Entries(vec![(last, units)]),
        };
        Form { last, content }
    }

    /// Units used at `at`, which is not before the last charge, if none is added.
    fn used(&self, form: &Form, at: i128) -> Rational {
        match &form.content {
            Content::Used(used) => {
                let left = used - whole(at - form.last) * self.rate();
                left.max(whole(0))
            }
            Content::Count(count, end) => {
                let runs = match self.kind {
                    Kind::FirstHit => at < *end,
                    _ => self.index(at) == self.index(form.last),
                };
                whole(if runs { *count } else { 0 })
            }
            Content::Two(current, previous) => {
                let window = i128::from(self.window);
                let covered = whole(1) - ratio(at.rem_euclid(window), window);
                match self.index(at) - self.index(form.last) {
                    0 => whole(*current) + whole(*previous) * covered,
                    1 => whole(*current) * covered,
                    _ => whole(0),
                }
            }
            Content::Entries(entries) => {
                let inside = |(time, _): &&(i128, u64)| at - time < i128::from(self.window);
                whole(
                    entries
                        .iter()
                        .filter(inside)
                        .map(|(_, units)| units)
                        .sum::<u64>(),
                )
            }
        }
    }

    /// The least number of units of time after `at` when what is used is at most `most`.
    fn first(&self, form: &Form, at: i128, most: &Rational) -> i128 {
        let unit = self.unit();
        let fits = |units: i128| self.used(form, at + units * unit) <= *most;
        if fits(0) {
            return 0;
        }
        let (mut low, mut high) = (0, 1);
        while !fits(high) {
            (low, high) = (high, high * 2);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle) {
                high = middle
            } else {
                low = middle
            }
        }
        high
    }

    fn until_fits(&self, form: &Form, at: i128, cost: u64) -> i128 {
        self.first(form, at, &(self.room() - whole(cost)))
    }

    /// The rule for a changed quota, the caps, and the clock rule: the form at the time that
    /// counts, and whether the clock was set back.
    fn present(&self, kept: Option<&Kept>, now: i128) -> (Form, bool) {
        let now = now - now.rem_euclid(self.unit());
        let Some(kept) = kept.filter(|kept| !kept.form.is_nothing()) else {
            return (self.nothing(now), false);
        };
        let form = self.capped(self.carried(kept));
        if now >= form.last {
            return (self.moved(&form, now), false);
        }
        // A state carried over into a calendar knows its window's end only from the four edges.
        let unknown = matches!(self.kind, Kind::Calendar(_))
            && self.shape() != kept.spec.shape()
            && self.index(form.last) > self.index(now) + 1;
        let whole_again = match unknown {
            true => 0,
            false => self.until_fits(&form, form.last, self.capacity()) * self.unit(),
        };
        if form.last - now <= whole_again.max(60_000_000) {
            let content = match (self.kind, form.content) {
                (Kind::Fixed, Content::Count(count, _)) => {
                    Content::Count(count, self.end(form.last))
                }
                (_, content) => content,
            };
            return (Form { content, ..form }, false);
        }
        (self.set_back(form, now), true)
    }

    fn carried(&self, kept: &Kept) -> Form {
        if self.shape() == kept.spec.shape() {
            return kept.form.clone();
        }
        let last = kept.form.last - kept.form.last.rem_euclid(self.unit());
        let used = match &kept.form.content {
            // The old capacity does not matter here, nor the old rate: nothing has passed.
            Content::Count(count, _) => *count,
            _ => ceil(&kept.spec.used(&kept.form, kept.form.last)),
        };
        self.holding(last, used)
    }

    fn capped(&self, form: Form) -> Form {
        let most = self.amount;
        let content = match form.content {
            Content::Used(used) => Content::Used(used.min(self.room())),
            Content::Count(count, end) => Content::Count(count.min(most), end),
            Content::Two(current, previous) => Content::Two(current.min(most), previous.min(most)),
            Content::Entries(entries) => Content::Entries(entries),
        };
        Form { content, ..form }
    }

    fn moved(&self, form: &Form, now: i128) -> Form {
        let used = self.used(form, now);
        let content = match &form.content {
            Content::Used(_) => Content::Used(used),
            Content::Count(..) if used == whole(0) => return self.nothing(now),
            Content::Count(count, end) => match self.kind {
                Kind::FirstHit => Content::Count(*count, *end),
                _ => Content::Count(*count, self.end(now)),
            },
            Content::Two(current, previous) => match self.index(now) - self.index(form.last) {
                0 => Content::Two(*current, *previous),
                1 => Content::Two(0, *current),
                _ => return self.nothing(now),
            },
            Content::Entries(entries) => {
                let inside = |(time, _): &(i128, u64)| now - time < i128::from(self.window);
                let inside: Vec<_> = entries.iter().copied().filter(inside).collect();
                Content::Entries(newest(inside, self.amount))
            }
        };
        Form { last: now, content }
    }

    fn set_back(&self, form: Form, now: i128) -> Form {
        let content = match form.content {
            Content::Count(count, _) => Content::Count(count, self.end(now)),
            Content::Entries(entries) => {
                let moved = entries
                    .into_iter()
                    .map(|(time, units)| (time.min(now), units));
                Content::Entries(moved.collect())
            }
            other => other,
        };
        let form = Form { last: now, content };
        match form.content {
            Content::Entries(_) => self.moved(&form, now),
            _ => form,
        }
    }

    fn add(&self, form: &mut Form, units: u64) {
        let at = form.last;
        match &mut form.content {
            Content::Used(used) => *used += whole(units),
            Content::Count(count, _) | Content::Two(count, _) => *count += units,
            Content::Entries(entries) => entries.push((at, units)),
        }
    }
}

/// The newest charges, together at most `most` units.
fn newest(entries: Vec<(i128, u64)>, most: u64) -> Vec<(i128, u64)> {
    let mut left = most;
    let mut kept: Vec<_> = entries
        .into_iter()
        .rev()
        .map(|(time, units)| {
            let units = units.min(left);
            left -= units;
            (time, units)
        })
        .filter(|(_, units)| *units > 0)
        .collect();
    kept.reverse();
    kept
}

impl Form {
    fn is_nothing(&self) -> bool {
        match &self.content {
            Content::Used(used) => *used == whole(0),
            Content::Count(count, _) => *count == 0,
            Content::Two(current, previous) => *current == 0 && *previous == 0,
            Content::Entries(entries) => entries.is_empty(),
        }
    }
}

impl Model {
    pub(crate) fn charge(&mut self, spec: &Spec, now: u64, cost: u64) -> Said {
        let (before, set_back) = spec.present(self.kept.as_ref(), i128::from(now));
        let (room, capacity, at) = (spec.room(), spec.capacity(), before.last);
        let impossible = cost > capacity;
        let fits = spec.used(&before, at) + whole(cost) <= room;
        let allowed = cost == 0 || (!impossible && fits);
        let mut after = before.clone();
        if allowed && cost > 0 {
            spec.add(&mut after, cost);
        }
        if set_back || (allowed && cost > 0) {
            self.kept = Some(Kept {
                spec: *spec,
                form: after.clone(),
            });
        }
        let span = |units: i128| match units {
            0 => 0,
            // An instant saturates at the last one that can be written.
            _ => (at + units * spec.unit()).min(u64::MAX.into()) - i128::from(now),
        };
        let span = |units: i128| u64::try_from(span(units)).unwrap();
        let left = (room - spec.used(&after, at)).max(whole(0));
        let remaining: u64 = left.floor().to_integer().try_into().unwrap();
        let is_held = matches!(spec.kind, Kind::Leaky { .. }) && allowed && cost > 0;
        Said {
            allowed,
            impossible,
            remaining,
            wait: match allowed || impossible {
                true => 0,
                false => span(spec.until_fits(&before, at, cost)),
            },
            next: match remaining < capacity {
                true => span(spec.until_fits(&after, at, remaining + 1)),
                false => 0,
            },
            whole: span(spec.until_fits(&after, at, capacity)),
            delay: if is_held {
                span(spec.first(&before, at, &whole(0)))
            } else {
                0
            },
        }
    }
}
