//! Measurements in alternated rounds.

use crate::Failure;

/// One number per round.
#[derive(Clone, Debug, Default)]
pub struct Series(Vec<f64>);

/// One series over another.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// The median of the quotients of single rounds.
    pub median: f64,
    /// The smallest quotient of one round.
    pub least: f64,
    /// The largest quotient of one round.
    pub most: f64,
}

/// Runs the contenders in turn, round by round: A B A B, so that what slows the machine down for
/// a while slows all of them.
///
/// # Errors
/// When a contender fails.
pub fn alternate<const N: usize>(
    rounds: usize,
    mut contenders: [&mut dyn FnMut() -> Result<f64, Failure>; N],
) -> Result<[Series; N], Failure> {
    let mut series = [const { Series(Vec::new()) }; N];
    for _ in 0..rounds {
        for (contender, series) in contenders.iter_mut().zip(&mut series) {
            series.push(contender()?);
        }
    }
    Ok(series)
}

impl Series {
    /// Adds a round.
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// The median; of an even number of rounds the lower one.
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len().saturating_sub(1) / 2;
        sorted.get(middle).copied().unwrap_or(f64::NAN)
    }

    /// This series over another of the same rounds. Each round of one is compared with its neighbour
    /// of the other only: the machine may be twice as slow a minute later.
    pub fn over(&self, other: &Self) -> Ratio {
        let each = self.0.iter().zip(&other.0);
        let each = Self(each.map(|(this, other)| this / other).collect());
        Ratio {
            median: each.median(),
            least: each.0.iter().copied().fold(f64::INFINITY, f64::min),
            most: each.0.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_of_neighbours_and_spans_its_rounds() {
        let ours = Series(vec![2.0, 4.0, 100.0]);
        let theirs = Series(vec![8.0, 12.0, 50.0]);
        let ratio = theirs.over(&ours);
        assert_eq!(ours.median(), 4.0);
        assert_eq!(ratio.median, 3.0);
        assert_eq!((ratio.least, ratio.most), (0.5, 4.0));
    }

    #[test]
    fn a_machine_that_slows_down_changes_no_ratio() {
        let ours = Series(vec![1.0, 2.0, 8.0, 8.0, 16.0]);
        let theirs = Series(vec![3.0, 4.0, 16.0, 16.0, 32.0]);
        assert_eq!(ours.over(&theirs).median, 0.5);
    }

    #[test]
    fn contenders_take_turns() {
        let order = std::cell::RefCell::new(String::new());
        let mut turn = |name: char, value: f64| {
            order.borrow_mut().push(name);
            Ok(value)
        };
        let turn = std::cell::RefCell::new(&mut turn);
        let [a, b] = alternate(
            2,
            [&mut || (turn.borrow_mut())('a', 1.0), &mut || {
                (turn.borrow_mut())('b', 2.0)
            }],
        )
        .unwrap();
        assert_eq!(order.into_inner(), "abab");
        assert_eq!((a.median(), b.median()), (1.0, 2.0));
    }
}
