//! The receipts that clients were given: each is good once.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use aforo::decide::Receipt;

/// The most that are kept; the oldest is forgotten first.
const MOST: usize = 65_536;

/// The receipts that clients were given, over all workers.
#[derive(Debug)]
pub(in crate::decide) struct Receipts<R = Receipt>(Mutex<Kept<R>>);

#[derive(Debug)]
struct Kept<R> {
    by_name: HashMap<u128, R>,
    /// From the oldest; names of receipts that were used are still there.
    order: VecDeque<u128>,
}

impl<R> Default for Receipts<R> {
    fn default() -> Self {
        Self(Mutex::new(Kept {
            by_name: HashMap::new(),
            order: VecDeque::new(),
        }))
    }
}

impl<R> Receipts<R> {
    /// Keeps a receipt; the name by which it is used. `None` when the system has no randomness.
    pub(super) fn keep(&self, receipt: R) -> Option<String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let name = u128::from_be_bytes(random);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.order.len() >= MOST
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.by_name.remove(&oldest);
        }
        kept.order.push_back(name);
        kept.by_name.insert(name, receipt);
        let mut text = String::with_capacity(32);
        let _written = write!(text, "{name:032x}");
        Some(text)
    }

    /// The receipt of a name; it has none from now on.
    pub(super) fn take(&self, name: &str) -> Option<R> {
        let is_name = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let name = u128::from_str_radix(name, 16).ok().filter(|_| is_name)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_name.remove(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_good_once() {
        let receipts = Receipts::default();
        let name = receipts.keep(7).unwrap();
        assert_eq!(name.len(), 32);
        for other in ["", "7", &name[1..], &format!("+{}", &name[1..])] {
            assert_eq!(receipts.take(other), None, "{other:?}");
        }
        assert_eq!(receipts.take(&name), Some(7));
        assert_eq!(receipts.take(&name), None);
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let receipts = Receipts::default();
        let names: Vec<String> = (0..MOST + 2).map(|n| receipts.keep(n).unwrap()).collect();
        assert_eq!(receipts.take(&names[1]), None);
        assert_eq!(receipts.take(&names[2]), Some(2));
        assert_eq!(receipts.take(&names[MOST + 1]), Some(MOST + 1));
        assert!(receipts.0.lock().unwrap().order.len() <= MOST);
    }
}
