//! One quota over two instances.

use aforo_servers::{Memcached, Postgres, Redis};

use crate::scene::{at_once, instance, passed};

/// Two instances, asked by turns, admit twenty of sixty.
fn admit_one_quota(url: &str) {
    let store = format!("url = \"{url}\"\ntimeout = \"2s\"\non_store_failure = \"deny\"");
    let instances = [0, 1].map(|_| instance("\"20/day fixed-window\"", &store));
    let mut clients = instances.each_ref().map(|program| program.client());
    let statuses = (0..60).map(|number| clients[number % 2].get("/").status);
    assert_eq!(passed(statuses), 20, "{url}");
}

#[test]
fn two_instances_admit_one_quota() {
    let redis = Redis::start();
    admit_one_quota(&redis.url());
    redis.every_key_ends();
}

#[test]
fn two_instances_admit_one_quota_on_postgresql() {
    admit_one_quota(&Postgres::start().url());
}

#[test]
fn two_instances_admit_one_quota_on_memcached() {
    admit_one_quota(&Memcached::start().url());
}

#[test]
fn rl_04_a_burst_over_two_instances_gets_exactly_the_quota() {
    let redis = Redis::start();
    let store = format!("url = \"{}\"\ntimeout = \"2s\"", redis.url());
    // A partition key for each round: none of them is known to the near cache.
    let policy =
        "{ name = \"cold\", quota = \"10/day fixed-window\", partition_by = [\"query:round\"] }";
    let instances = [0, 1].map(|_| instance(policy, &store));
    let instances = instances.each_ref();
    for round in 0..200 {
        let statuses = at_once(&instances, 25, &format!("/?round={round}"))
            .into_iter()
            .map(|(status, _)| status);
        assert_eq!(passed(statuses), 10, "round {round}");
    }
    redis.every_key_ends();
}
