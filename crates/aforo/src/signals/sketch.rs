//! Which subjects have the most different elements, in a fixed amount of memory.

/// Bits of an entry's bitmap.
const BITS: u64 = 1024;
const WORDS: usize = 16;

/// Which subjects have the most different elements in a window, in a fixed amount of memory.
///
/// Two known sketches, one in the other: the entries are those of Space-Saving (Metwally, Agrawal,
/// El Abbadi: "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005),
/// and each counts its different elements in a bitmap of 1,024 bits (linear counting: Whang,
/// Vander-Zanden, Taylor: "A Linear-Time Probabilistic Counting Algorithm for Database
/// Applications", ACM TODS 15(2), 1990). An entry takes 152 bytes.
///
/// - A subject is reported once a window at most, and `capacity` subjects at most.
/// - What is reported is true: so many bits are set by at least so many different elements. `n`
///   elements set `1024·(1 − e^(−n/1024))` bits on average, 95 for 100.
/// - With `N` elements seen in the window, a subject whose elements set `threshold + N/capacity`
///   bits is reported: at its last eviction its count, which is never less than its bits so far,
///   was the least of `capacity` counts that add up to at most `N`; the rest is in its bitmap.
#[derive(Debug)]
pub(crate) struct Sketch {
    threshold: u32,
    capacity: usize,
    window: u64,
    // Apart, so that the one that is searched lies close together.
    subjects: Vec<u64>,
    entries: Vec<Entry>,
    reported: Vec<u64>,
}

#[derive(Clone, Debug)]
struct Entry {
    count: u32,
    set: u32,
    bits: [u64; WORDS],
}

impl Sketch {
    /// A sketch of so many entries that reports subjects with so many bits.
    pub(crate) fn new(capacity: usize, threshold: u32) -> Self {
        Self {
            threshold,
            capacity,
            window: 0,
            subjects: Vec::with_capacity(capacity),
            entries: Vec::with_capacity(capacity),
            reported: Vec::with_capacity(capacity),
        }
    }

    /// An element of a subject, both as keyed hashes, was seen in a window. How many different ones
    /// there were at least, when that has just become worth a report.
    pub(crate) fn saw(&mut self, subject: u64, element: u64, window: u64) -> Option<u32> {
        if window != self.window {
            self.clear(window);
        }
        let place = self.place_of(subject)?;
        let entry = self.entries.get_mut(place)?;
        entry.mark(element);
        let set = entry.set;
        let silent = set < self.threshold
            || self.reported.len() >= self.capacity
            || self.reported.contains(&subject);
        if silent {
            return None;
        }
        self.reported.push(subject);
        Some(set)
    }

    fn clear(&mut self, window: u64) {
        self.window = window;
        self.subjects.clear();
        self.entries.clear();
        self.reported.clear();
    }

    /// The place of a subject, which takes that of the smallest count where all are taken.
    fn place_of(&mut self, subject: u64) -> Option<usize> {
        let held = self.subjects.iter().position(|held| *held == subject);
        if held.is_some() {
            return held;
        }
        if self.entries.len() < self.capacity {
            self.subjects.push(subject);
            self.entries.push(Entry::after(0));
            return self.entries.len().checked_sub(1);
        }
        let counts = self.entries.iter().map(|entry| entry.count).enumerate();
        let (place, least) = counts.min_by_key(|(_, count)| *count)?;
        *self.subjects.get_mut(place)? = subject;
        *self.entries.get_mut(place)? = Entry::after(least);
        Some(place)
    }
}

impl Entry {
    /// An entry that takes the place of one with this count.
    const fn after(count: u32) -> Self {
        Self {
            count,
            set: 0,
            bits: [0; WORDS],
        }
    }

    fn mark(&mut self, element: u64) {
        let bit = element % BITS;
        let word = usize::try_from(bit / 64).ok();
        let Some(word) = word.and_then(|word| self.bits.get_mut(word)) else {
            return;
        };
        let mask = 1 << (bit % 64);
        if *word & mask == 0 {
            *word |= mask;
            self.set = self.set.saturating_add(1);
            self.count = self.count.saturating_add(1);
        }
    }
}

#[cfg(test)]
#[path = "sketch_tests.rs"]
mod tests;
