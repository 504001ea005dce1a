//! Resident memory of this process, from `/proc`.

use std::fs;

use crate::Failure;

/// Resident bytes now.
///
/// # Errors
/// When `/proc` does not tell.
pub fn now() -> Result<u64, Failure> {
    field("VmRSS:")
}

/// The most that was resident so far.
///
/// # Errors
/// When `/proc` does not tell.
pub fn peak() -> Result<u64, Failure> {
    field("VmHWM:")
}

fn field(name: &str) -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    let kilobytes: u64 = kilobytes
        .ok_or("no such field in /proc/self/status")?
        .parse()?;
    Ok(kilobytes.saturating_mul(1024))
}
