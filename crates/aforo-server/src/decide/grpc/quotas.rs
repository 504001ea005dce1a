//! The quotas that descriptors have brought lately.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use aforo::decide::{BroughtQuota, ThrottleError};

/// The most that are kept. A client with ever new numbers costs their making, not memory.
const MOST: usize = 1_024;

/// The quotas that descriptors have brought lately, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Quotas(RefCell<HashMap<(u32, u64), Rc<BroughtQuota>>>);

impl Quotas {
    /// So many units in so many seconds.
    pub(super) fn of(&self, numbers: (u32, u64)) -> Result<Rc<BroughtQuota>, ThrottleError> {
        let mut known = self.0.borrow_mut();
        if let Some(quota) = known.get(&numbers) {
            return Ok(Rc::clone(quota));
        }
        let (amount, seconds) = numbers;
        let quota = Rc::new(BroughtQuota::new(u64::from(amount), seconds)?);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(numbers, Rc::clone(&quota));
        Ok(quota)
    }
}
