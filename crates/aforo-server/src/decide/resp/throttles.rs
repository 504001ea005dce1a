//! The quotas that clients have brought lately.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use aforo::decide::{Throttle, ThrottleError};

/// The most that are kept. A client with ever new numbers costs their making, not memory.
const MOST: usize = 1_024;

/// Capacity, count, period.
type Numbers = (u64, u64, u64);

/// The quotas that clients have brought lately, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Throttles {
    last: RefCell<Option<(Numbers, Rc<Throttle>)>>,
    known: RefCell<HashMap<Numbers, Rc<Throttle>>>,
}

impl Throttles {
    /// The quota of these numbers.
    pub(super) fn of(&self, numbers: Numbers) -> Result<Rc<Throttle>, ThrottleError> {
        if let Some((known, throttle)) = &*self.last.borrow()
            && *known == numbers
        {
            return Ok(Rc::clone(throttle));
        }
        let throttle = self.find(numbers)?;
        *self.last.borrow_mut() = Some((numbers, Rc::clone(&throttle)));
        Ok(throttle)
    }

    fn find(&self, numbers: Numbers) -> Result<Rc<Throttle>, ThrottleError> {
        if let Some(throttle) = self.known.borrow().get(&numbers) {
            return Ok(Rc::clone(throttle));
        }
        let (capacity, count, period) = numbers;
        let throttle = Rc::new(Throttle::new(capacity, count, period)?);
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(numbers, Rc::clone(&throttle));
        Ok(throttle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ever_new_quotas_take_no_more_memory() {
        let throttles = Throttles::default();
        for capacity in 1..3_000 {
            throttles.of((capacity, 1, 60)).unwrap();
        }
        assert!(throttles.known.borrow().len() <= MOST);
        let (one, two) = (throttles.of((5, 1, 60)), throttles.of((5, 1, 60)));
        assert!(Rc::ptr_eq(&one.unwrap(), &two.unwrap()));
        assert!(throttles.of((5, 0, 60)).is_err());
    }
}
