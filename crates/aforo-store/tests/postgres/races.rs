//! Many at once.

use std::sync::Arc;

use aforo_servers::Postgres;
use aforo_store::SqlStore;

use crate::stage::{block_on, leases, race, remote};

fn race_at(isolation: &str) {
    let setting = format!("default_transaction_isolation={isolation}");
    let server = Postgres::with(&[&setting]);
    race::two_processes(
        |remote| SqlStore::open(remote).unwrap(),
        &remote(&server.url()),
    );
}

#[test]
fn rl_04_two_processes_admit_exactly_the_quota_under_read_committed() {
    race_at("read committed");
}

#[test]
fn rl_04_two_processes_admit_exactly_the_quota_under_repeatable_read() {
    race_at("repeatable read");
}

#[test]
#[ignore = "the other process of a race"]
fn the_other_process() {
    race::the_other(|remote| SqlStore::open(remote).unwrap());
}

#[test]
fn instances_with_leases_stay_within_their_bound() {
    let server = Postgres::start();
    block_on(leases::hold(
        |remote| Arc::new(SqlStore::open(remote).unwrap()),
        &remote(&server.url()),
    ));
}
