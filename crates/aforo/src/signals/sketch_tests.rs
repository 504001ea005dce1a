//! The sketch against sets that remember everything.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const CAPACITY: usize = 16;
const THRESHOLD: u32 = 8;

#[test]
fn a_subject_is_reported_once_when_it_reaches_the_threshold() {
    let mut sketch = Sketch::new(4, 3);
    let told: Vec<_> = [10, 11, 10, 11, 12, 13, 14]
        .map(|element| sketch.saw(1, element, 5))
        .to_vec();
    assert_eq!(told, [None, None, None, None, Some(3), None, None]);
    assert_eq!(sketch.saw(2, 10, 5), None);
}

#[test]
fn the_same_element_again_is_nothing_new() {
    let mut sketch = Sketch::new(4, 2);
    for _ in 0..1000 {
        assert_eq!(sketch.saw(1, 77, 5), None);
    }
    // Of 1,024 bits, this is the same one.
    assert_eq!(sketch.saw(1, 77 + 1024, 5), None);
    assert_eq!(sketch.saw(1, 78, 5), Some(2));
}

#[test]
fn a_new_window_begins_with_nothing() {
    let mut sketch = Sketch::new(4, 2);
    assert_eq!(sketch.saw(1, 1, 5), None);
    assert_eq!(sketch.saw(1, 2, 6), None);
    assert_eq!(sketch.saw(1, 3, 6), Some(2));
    assert_eq!(sketch.saw(1, 1, 7), None);
    assert_eq!(sketch.saw(1, 2, 7), Some(2));
}

#[test]
fn one_subject_stands_out_of_a_flood_of_others() {
    let mut sketch = Sketch::new(256, 30);
    let mut told = Vec::new();
    // 20,000 of others: at most 78 of the subject's bits are lost.
    for number in 0..20_000_u64 {
        told.extend(sketch.saw(1_000_000 + number, number, 1));
        if number % 100 == 0 {
            told.extend(sketch.saw(7, number / 100, 1));
        }
    }
    assert_eq!(told, [30]);
}

#[test]
fn no_more_is_reported_than_there_are_entries() {
    let mut sketch = Sketch::new(8, 1);
    let told = (0..1000).filter_map(|subject| sketch.saw(subject, 1, 1));
    assert_eq!(told.count(), 8);
}

/// Elements of many subjects, some of which come much more often.
fn seen() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let subject = prop_oneof![2 => 0_u64..4, 1 => 0_u64..40, 1 => 0_u64..4000];
    let element = prop_oneof![0_u64..8, 0_u64..200, any::<u64>()];
    vec((subject, element), 0..3000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_subject_above_the_bound_is_reported_and_no_other_below_the_threshold(seen in seen()) {
        let mut sketch = Sketch::new(CAPACITY, THRESHOLD);
        let mut bits: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut elements: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut reported = BTreeMap::new();
        for (subject, element) in &seen {
            bits.entry(*subject).or_default().insert(element % 1024);
            elements.entry(*subject).or_default().insert(*element);
            if let Some(distinct) = sketch.saw(*subject, *element, 1) {
                prop_assert!(elements[subject].len() >= distinct as usize);
                prop_assert!(distinct >= THRESHOLD);
                prop_assert_eq!(reported.insert(*subject, distinct), None);
            }
            prop_assert!(sketch.entries.len() <= CAPACITY);
            prop_assert!(sketch.reported.len() <= CAPACITY);
        }
        prop_assert_eq!(sketch.subjects.capacity(), CAPACITY);
        prop_assert_eq!(sketch.entries.capacity(), CAPACITY);
        prop_assert_eq!(sketch.reported.capacity(), CAPACITY);
        let bound = (THRESHOLD as usize).saturating_add(seen.len() / CAPACITY);
        for (subject, bits) in bits {
            if bits.len() > bound && reported.len() < CAPACITY {
                prop_assert!(reported.contains_key(&subject), "{} bits", bits.len());
            }
        }
    }
}

#[test]
fn an_entry_takes_what_its_documentation_says() {
    // Beside its 136 bytes, eight for its subject and eight for a report.
    assert_eq!(size_of::<Entry>() + 2 * size_of::<u64>(), 152);
}
