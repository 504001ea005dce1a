//! A team's pool with a part for each member, on a store that instances share.

use std::thread;

use aforo_servers::{Memcached, Postgres, Redis};

use crate::scene::{KEY, passed};
use crate::support::Program;

/// A pool of 30 with 5 for each of three members.
fn team(url: &str) -> String {
    let members: String = ["ana", "ben", "cid"]
        .iter()
        .map(|id| format!("[[consumers]]\nid = \"{id}\"\nteam = \"search\"\n"))
        .collect();
    format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\
         [identity]\ntrusted_proxies = [\"loopback\"]\nverified_header = \"x-id\"\n\
         default_plan = \"free\"\n\
         [plans.anonymous]\npolicies = [\"1/day\"]\n\
         [plans.free]\npolicies = [\"1000/day fixed-window\"]\n\
         [teams.search]\npolicies = [\"30/day fixed-window\"]\n\
         guaranteed = \"5/day fixed-window\"\n\
         [stores.default]\nurl = \"{url}\"\ntimeout = \"5s\"\non_store_failure = \"deny\"\n\
         {members}"
    )
}

/// How many of a member's requests pass, sent on four connections at once, by turns to each
/// instance.
fn passing(instances: &[Program; 2], id: &str, requests: usize) -> usize {
    thread::scope(|scope| {
        let sending: Vec<_> = (0..4)
            .map(|number| {
                let mut client = instances[number % 2].client();
                let fields = format!("x-id: {id}\r\n");
                scope.spawn(move || {
                    let ask = |_| client.ask("GET", "/", &fields).status;
                    passed((0..requests / 4).map(ask))
                })
            })
            .collect();
        sending.into_iter().map(|one| one.join().unwrap()).sum()
    })
}

/// All members at once, one of them much more than the others.
fn hold_the_parts(url: &str) {
    let file = team(url);
    let instances = [0, 1].map(|_| Program::sharing(&file, KEY));
    let demand = [("ana", 80), ("ben", 20), ("cid", 20)];
    let passed: Vec<usize> = thread::scope(|scope| {
        let asking = demand.map(|(id, requests)| {
            let instances = &instances;
            scope.spawn(move || passing(instances, id, requests))
        });
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(passed.iter().sum::<usize>(), 30, "{url}: {passed:?}");
    assert!(passed.iter().all(|one| *one >= 5), "{url}: {passed:?}");
}

#[test]
fn no_member_starves_the_others_on_redis() {
    let redis = Redis::start();
    hold_the_parts(&redis.url());
    redis.every_key_ends();
}

#[test]
fn no_member_starves_the_others_on_postgresql() {
    hold_the_parts(&Postgres::start().url());
}

#[test]
fn no_member_starves_the_others_on_memcached() {
    hold_the_parts(&Memcached::start().url());
}
