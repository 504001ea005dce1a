//! The access log, Apache combined format.

use std::path::PathBuf;

/// One request: who and when, in seconds since the epoch.
pub(crate) struct Line {
    pub(crate) address: String,
    pub(crate) at: i128,
}

/// 2015-05-01 in days since the epoch.
const MAY: i128 = 16_556;

fn path() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    std::env::var_os("AFORO_SHARED")
        .map_or_else(beside, PathBuf::from)
        .join("data/access-2015.log")
}

/// All requests, in the log's order.
pub(crate) fn lines() -> Vec<Line> {
    let path = path();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("{}: {error}; set AFORO_SHARED", path.display()),
    };
    text.lines().map(line).collect()
}

fn line(text: &str) -> Line {
    let (address, rest) = text.split_once(' ').unwrap();
    let (_, rest) = rest.split_once('[').unwrap();
    let (stamp, _) = rest.split_once(" +0000]").unwrap();
    let (day, time) = stamp.split_once("/May/2015:").unwrap();
    let day: i128 = day.parse().unwrap();
    let seconds = time
        .split(':')
        .fold(0, |sum, part| sum * 60 + part.parse::<i128>().unwrap());
    Line {
        address: address.to_owned(),
        at: (MAY + day - 1) * 86_400 + seconds,
    }
}
