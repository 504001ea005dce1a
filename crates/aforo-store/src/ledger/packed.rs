//! The bytes of a counter.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | algorithm: 0 token bucket, 1 leaky bucket, 2 fixed window, 3 sliding window, 4 sliding log |
//! | 1 | unit: 0 microsecond, 1 millisecond, 2 second |
//! | number | the window of its shape |
//! | 3 numbers | `last`, `first`, `second`; or, for a sliding log: |
//! | number | the id of the next entry |
//! | number | how many entries follow, at most 10,000 |
//! | 3 numbers each | time and id as the difference to the entry before, and cost |
//!
//! A number is written seven bits at a time, the lowest first; the top bit says that more follow
//! (LEB128).

use aforo_core::{Algorithm, Log, LogEntry, Shape, State, Stored, Unit};

use super::Counter;

/// A sliding log holds no more units, thus no more entries.
const MOST_ENTRIES: u64 = 10_000;

/// Bytes that are not a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbage;

/// Appends the bytes of a counter.
pub(crate) fn pack(counter: &Counter, bytes: &mut Vec<u8>) {
    match counter {
        Counter::State(stored) => {
            pack_shape(&stored.shape, bytes);
            let State {
                last,
                first,
                second,
            } = stored.state;
            for number in [last, first, second] {
                pack_number(number, bytes);
            }
        }
        Counter::Log(log) => pack_log(log, bytes),
    }
}

fn pack_shape(shape: &Shape, bytes: &mut Vec<u8>) {
    bytes.push(shape.algorithm as u8);
    bytes.push(shape.unit as u8);
    pack_number(shape.window, bytes);
}

fn pack_log(log: &Log, bytes: &mut Vec<u8>) {
    // A log without a shape was never written to.
    let nothing = Shape {
        algorithm: Algorithm::SlidingLog,
        unit: Unit::Microsecond,
        window: 0,
    };
    pack_shape(&log.shape().unwrap_or(nothing), bytes);
    pack_number(log.next_id(), bytes);
    pack_number(log.len() as u64, bytes);
    let (mut at, mut id) = (0, 0);
    for entry in log.entries() {
        pack_number(entry.at.wrapping_sub(at), bytes);
        pack_number(entry.id.wrapping_sub(id), bytes);
        pack_number(entry.cost, bytes);
        (at, id) = (entry.at, entry.id);
    }
}

/// Appends a number.
pub(crate) fn pack_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a counter off the front of `bytes`.
pub(crate) fn unpack(bytes: &mut &[u8]) -> Result<Counter, Garbage> {
    let algorithm = match unpack_byte(bytes)? {
        0 => Algorithm::TokenBucket,
        1 => Algorithm::LeakyBucket,
        2 => Algorithm::FixedWindow,
        3 => Algorithm::SlidingWindow,
        4 => Algorithm::SlidingLog,
        _ => return Err(Garbage),
    };
    let unit = match unpack_byte(bytes)? {
        0 => Unit::Microsecond,
        1 => Unit::Millisecond,
        2 => Unit::Second,
        _ => return Err(Garbage),
    };
    let window = exact(unpack_number(bytes)?)?;
    let shape = Shape {
        algorithm,
        unit,
        window,
    };
    if algorithm == Algorithm::SlidingLog {
        return Ok(Counter::Log(unpack_log(shape, bytes)?));
    }
    let state = State {
        last: exact(unpack_number(bytes)?)?,
        first: exact(unpack_number(bytes)?)?,
        second: exact(unpack_number(bytes)?)?,
    };
    Ok(Counter::State(Stored { shape, state }))
}

fn unpack_log(shape: Shape, bytes: &mut &[u8]) -> Result<Log, Garbage> {
    let next_id = unpack_number(bytes)?;
    let count = unpack_number(bytes)?;
    if count > MOST_ENTRIES {
        return Err(Garbage);
    }
    let (mut at, mut id) = (0_u64, 0_u64);
    let mut entries = Vec::new();
    for _ in 0..count {
        at = exact(at.wrapping_add(unpack_number(bytes)?))?;
        id = id.wrapping_add(unpack_number(bytes)?);
        let cost = unpack_number(bytes)?;
        if cost > MOST_ENTRIES {
            return Err(Garbage);
        }
        entries.push(LogEntry { at, cost, id });
    }
    Ok(Log::restore(shape, entries).continued(next_id))
}

/// Reads a number off the front of `bytes`.
pub(crate) fn unpack_number(bytes: &mut &[u8]) -> Result<u64, Garbage> {
    let mut number = 0_u64;
    for shift in (0..70).step_by(7) {
        let byte = unpack_byte(bytes)?;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return Err(Garbage);
        }
        number |= part << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Garbage)
}

/// Reads a byte off the front of `bytes`.
pub(crate) fn unpack_byte(bytes: &mut &[u8]) -> Result<u8, Garbage> {
    let (first, rest) = bytes.split_first().ok_or(Garbage)?;
    *bytes = rest;
    Ok(*first)
}

/// A number that takes part in a decision.
fn exact(number: u64) -> Result<u64, Garbage> {
    match number < 1 << 53 {
        true => Ok(number),
        false => Err(Garbage),
    }
}
