//! Time that was worked, and time that went by.

use std::fs;
use std::time::Duration;

use aforo_store::{Clock, SystemClock};
use rustix::time::{ClockId, clock_gettime};

use crate::Failure;

/// The CPU time of this thread so far, user and system.
pub fn of_this_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(time.tv_nsec).unwrap_or_default();
    Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanos))
}

/// The CPU time of this thread that `work` takes.
pub fn spent(work: impl FnOnce()) -> Duration {
    let before = of_this_thread();
    work();
    of_this_thread().saturating_sub(before)
}

/// The time that goes by while `work` runs.
pub fn elapsed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let clock = SystemClock::new();
    let before = clock.now();
    let value = work();
    (value, clock.now().since(before).into())
}

/// The CPU time (utime + stime, all threads) of a process and its children so far, from `/proc`,
/// in steps of 10 ms.
///
/// # Errors
/// When the process is gone.
pub fn of_process(pid: u32) -> Result<Duration, Failure> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    let mut total = ticks(pid)?;
    for child in children.split_whitespace() {
        total = total.saturating_add(ticks(child.parse()?)?);
    }
    Ok(Duration::from_millis(total.saturating_mul(10)))
}

/// utime + stime of one process, in the kernel's ticks: 100 a second on every Linux.
fn ticks(pid: u32) -> Result<u64, Failure> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The program's name, in parentheses, may hold spaces; utime is the 12th field after it.
    let (_, fields) = stat.rsplit_once(')').ok_or("a stat line without a name")?;
    let mut times = fields.split_whitespace().skip(11);
    let mut next = || times.next().ok_or("a stat line without times");
    let (user, system): (u64, u64) = (next()?.parse()?, next()?.parse()?);
    Ok(user.saturating_add(system))
}
