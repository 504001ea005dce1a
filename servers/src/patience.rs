//! Waiting for what another process does.

use std::thread;
use std::time::Duration;

const STEP: Duration = Duration::from_millis(5);
/// How many steps a server may take to do what it was asked: a minute.
const STEPS: u32 = 12_000;

/// Waits until something is so, and panics when it takes a minute.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..STEPS {
        if is_so() {
            return;
        }
        thread::sleep(STEP);
    }
    panic!("waited a minute for {what}");
}
