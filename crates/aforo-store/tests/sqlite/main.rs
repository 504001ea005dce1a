//! The SQL store on SQLite.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests may panic"
)]

#[path = "../stage/mod.rs"]
mod stage;

mod cases;
mod conformance;
mod races;

use std::path::Path;

fn url(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("aforo.db").display())
}
