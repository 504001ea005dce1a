//! Many at once.

use std::sync::Arc;

use aforo_servers::Memcached;
use aforo_store::MemcachedStore;

use crate::stage::{block_on, leases, race, remote};

#[test]
fn rl_04_two_processes_admit_exactly_the_quota() {
    let server = Memcached::start();
    let remote = remote(&server.url());
    race::two_processes(|remote| MemcachedStore::open(remote).unwrap(), &remote);
}

#[test]
#[ignore = "the other process of a race"]
fn the_other_process() {
    race::the_other(|remote| MemcachedStore::open(remote).unwrap());
}

#[test]
fn instances_with_leases_stay_within_their_bound() {
    let server = Memcached::start();
    block_on(leases::hold(
        |remote| Arc::new(MemcachedStore::open(remote).unwrap()),
        &remote(&server.url()),
    ));
}
