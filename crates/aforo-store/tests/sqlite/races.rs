//! Many at once.

use std::sync::Arc;

use aforo_store::SqlStore;
use tempfile::TempDir;

use crate::stage::{block_on, leases, race, remote};

#[test]
fn rl_04_two_processes_admit_exactly_the_quota() {
    let folder = TempDir::new().unwrap();
    let remote = remote(&crate::url(folder.path()));
    race::two_processes(|remote| SqlStore::open(remote).unwrap(), &remote);
}

#[test]
#[ignore = "the other process of a race"]
fn the_other_process() {
    race::the_other(|remote| SqlStore::open(remote).unwrap());
}

#[test]
fn instances_with_leases_stay_within_their_bound() {
    let folder = TempDir::new().unwrap();
    block_on(leases::hold(
        |remote| Arc::new(SqlStore::open(remote).unwrap()),
        &remote(&crate::url(folder.path())),
    ));
}
