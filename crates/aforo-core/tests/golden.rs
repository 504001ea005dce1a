//! The golden vectors, run on the pure core.

use std::collections::HashMap;

use aforo_core::vectors::{self, Counter, Event, Vector};

fn run(vector: &Vector) -> Result<(), String> {
    let (mut counter, mut quota, mut edges) = (Counter::default(), None, None);
    let mut receipts = HashMap::new();
    for step in &vector.steps {
        let place = format!("{}:{}: {}", vector.file, step.line, vector.name);
        match &step.event {
            Event::Quota(changed) => quota = Some(*changed),
            Event::Edges(moved) => edges = *moved,
            Event::Charge {
                now,
                cost,
                receipt,
                expected,
            } => {
                let quota = quota.ok_or_else(|| format!("{place}: no quota"))?;
                let (outcome, taken) = counter.charge(&quota, *now, edges.as_ref(), *cost);
                if let Some(name) = receipt {
                    receipts.insert(name.clone(), taken);
                }
                expected
                    .check(&outcome)
                    .map_err(|why| format!("{place}: {why}"))?;
            }
            Event::GiveBack {
                now,
                receipt,
                units,
            } => {
                let quota = quota.ok_or_else(|| format!("{place}: no quota"))?;
                let taken = receipts
                    .remove(receipt)
                    .ok_or_else(|| format!("{place}: used up"))?;
                counter.give_back(&quota, &taken, *units, *now);
            }
        }
    }
    Ok(())
}

#[test]
fn every_vector_holds() {
    let vectors = vectors::all().unwrap();
    assert!(vectors.len() >= 30, "only {} vectors found", vectors.len());
    let failed: Vec<String> = vectors
        .iter()
        .filter_map(|vector| run(vector).err())
        .collect();
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

#[test]
fn a_wrong_vector_fails() {
    let text = "vector x\nquota fixed-window 1 per 10\n1 charge 1 -> denied\n";
    let vectors = vectors::parse("text", text).unwrap();
    assert!(
        run(&vectors[0])
            .unwrap_err()
            .starts_with("text:3: x: Denied said")
    );
}

#[test]
fn an_unreadable_line_is_named() {
    for line in [
        "1 charge x -> allowed",
        "quota token-bucket 1",
        "1 charge 1 -> allowed whole",
    ] {
        let error = vectors::parse("text", &format!("vector x\n{line}\n")).unwrap_err();
        assert!(error.starts_with("text:2: "), "{error}");
    }
}
