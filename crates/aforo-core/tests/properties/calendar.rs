//! Two calendars for tests: hours of a zone half an hour off, and months of uneven length.

use aforo_core::{Edges, Timestamp};

const DAY: i128 = 86_400_000_000;
const HOUR: i128 = 3_600_000_000;
/// Days of a common year's months; a leap day would add nothing here.
const MONTHS: [i128; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calendar {
    Hours,
    Months,
}

impl Calendar {
    /// The start of the window with this number.
    fn start(self, number: i128) -> i128 {
        match self {
            Self::Hours => number * HOUR - HOUR / 2,
            Self::Months => {
                let (year, month) = (number.div_euclid(12), number.rem_euclid(12) as usize);
                (year * 365 + MONTHS[..month].iter().sum::<i128>()) * DAY
            }
        }
    }

    /// The number of the window that holds `at`.
    pub(crate) fn window(self, at: i128) -> i128 {
        let guess = match self {
            Self::Hours => at / HOUR - 2,
            Self::Months => at / (31 * DAY) - 2,
        };
        (guess..)
            .find(|number| at < self.start(number + 1))
            .unwrap()
    }

    /// The four edges around `now`.
    pub(crate) fn edges(self, now: u64) -> Edges {
        let number = self.window(i128::from(now));
        let edge = |offset| {
            let start = self.start(number + offset).max(i128::from(offset == 0));
            Timestamp::from_micros(start as u64)
        };
        Edges::new([edge(-1), edge(0), edge(1), edge(2)]).unwrap()
    }
}
