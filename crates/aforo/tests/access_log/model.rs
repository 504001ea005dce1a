//! The five algorithms over rational numbers, written from their definitions: one caller each, all
//! requests cost one unit.
//!
//! The log steps back by less than a minute, so by the first clock rule a step back counts as the
//! time of the last admitted request.

use num_rational::Ratio;

type Rational = Ratio<i128>;

/// One caller's counter.
pub(crate) trait Model {
    /// Whether a request at `now` is admitted.
    fn admits(&mut self, now: i128) -> bool;
}

/// The time that counts: `now`, or that of the last admitted request.
fn effective(now: i128, last: Option<i128>) -> i128 {
    let last = last.unwrap_or(now);
    assert!(last - now < 60, "a step back of a minute or more");
    now.max(last)
}

/// Units that drain at a constant rate.
struct Level {
    rate: Rational,
    level: Rational,
    last: Option<i128>,
}

impl Level {
    fn new(quota: i128, window: i128) -> Self {
        Self {
            rate: Rational::new(quota, window),
            level: Rational::from_integer(0),
            last: None,
        }
    }

    /// The level at `now`, and the time that counts.
    fn drained(&self, now: i128) -> (Rational, i128) {
        let now = effective(now, self.last);
        let since = Rational::from_integer(now - self.last.unwrap_or(now));
        let level = (self.level - since * self.rate).max(Rational::from_integer(0));
        (level, now)
    }

    fn add_when(&mut self, fits: bool, level: Rational, now: i128) -> bool {
        if fits {
            self.level = level + 1;
            self.last = Some(now);
        }
        fits
    }
}

/// `quota` per `window` flow back, `burst` at once.
pub(crate) struct TokenBucket {
    level: Level,
    burst: Rational,
}

impl TokenBucket {
    pub(crate) fn new(quota: i128, window: i128, burst: i128) -> Self {
        Self {
            level: Level::new(quota, window),
            burst: Rational::from_integer(burst),
        }
    }
}

impl Model for TokenBucket {
    fn admits(&mut self, now: i128) -> bool {
        let (level, now) = self.level.drained(now);
        let fits = level + Rational::from_integer(1) <= self.burst;
        self.level.add_when(fits, level, now)
    }
}

/// Held until what came before has drained, at most `max_delay`.
pub(crate) struct Leaky {
    level: Level,
    max_delay: Rational,
}

impl Leaky {
    pub(crate) fn new(quota: i128, window: i128, max_delay: i128) -> Self {
        Self {
            level: Level::new(quota, window),
            max_delay: Rational::from_integer(max_delay),
        }
    }
}

impl Model for Leaky {
    fn admits(&mut self, now: i128) -> bool {
        let (level, now) = self.level.drained(now);
        let delay = level / self.level.rate;
        self.level.add_when(delay <= self.max_delay, level, now)
    }
}

/// The times of all admitted requests, for the windows.
struct Times {
    quota: i128,
    window: i128,
    times: Vec<i128>,
}

impl Times {
    const fn new(quota: i128, window: i128) -> Self {
        Self {
            quota,
            window,
            times: Vec::new(),
        }
    }

    fn effective(&self, now: i128) -> i128 {
        effective(now, self.times.last().copied())
    }

    fn count(&self, within: impl Fn(i128) -> bool) -> i128 {
        self.times.iter().filter(|time| within(**time)).count() as i128
    }

    fn index(&self, time: i128) -> i128 {
        time.div_euclid(self.window)
    }

    fn add_when(&mut self, fits: bool, now: i128) -> bool {
        if fits {
            self.times.push(now);
        }
        fits
    }
}

/// A counter per window, aligned to the epoch.
pub(crate) struct Fixed(Times);

impl Fixed {
    pub(crate) const fn new(quota: i128, window: i128) -> Self {
        Self(Times::new(quota, window))
    }
}

impl Model for Fixed {
    fn admits(&mut self, now: i128) -> bool {
        let times = &self.0;
        let now = times.effective(now);
        let taken = times.count(|time| times.index(time) == times.index(now));
        let fits = taken < times.quota;
        self.0.add_when(fits, now)
    }
}

/// A counter per window, begun by the first request after the one before ended.
pub(crate) struct FirstHit {
    times: Times,
    begun: Option<i128>,
}

impl FirstHit {
    pub(crate) const fn new(quota: i128, window: i128) -> Self {
        Self {
            times: Times::new(quota, window),
            begun: None,
        }
    }
}

impl Model for FirstHit {
    fn admits(&mut self, now: i128) -> bool {
        let now = self.times.effective(now);
        let begun = match self.begun {
            Some(begun) if now < begun + self.times.window => begun,
            _ => now,
        };
        self.begun = Some(begun);
        let fits = self.times.count(|time| time >= begun) < self.times.quota;
        self.times.add_when(fits, now)
    }
}

/// The current window's count and the previous one's, weighted by what of it is still in reach.
pub(crate) struct SlidingWindow(Times);

impl SlidingWindow {
    pub(crate) const fn new(quota: i128, window: i128) -> Self {
        Self(Times::new(quota, window))
    }
}

impl Model for SlidingWindow {
    fn admits(&mut self, now: i128) -> bool {
        let times = &self.0;
        let now = times.effective(now);
        let index = times.index(now);
        let current = times.count(|time| times.index(time) == index);
        let previous = times.count(|time| times.index(time) == index - 1);
        let elapsed = now - index * times.window;
        let weight = Rational::new(times.window - elapsed, times.window);
        let used = weight * previous + current + 1;
        let fits = used <= Rational::from_integer(times.quota);
        self.0.add_when(fits, now)
    }
}

/// Every admitted request of the last window.
pub(crate) struct SlidingLog(Times);

impl SlidingLog {
    pub(crate) const fn new(quota: i128, window: i128) -> Self {
        Self(Times::new(quota, window))
    }
}

impl Model for SlidingLog {
    fn admits(&mut self, now: i128) -> bool {
        let times = &self.0;
        let now = times.effective(now);
        let fits = times.count(|time| time + times.window > now) < times.quota;
        self.0.add_when(fits, now)
    }
}
