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
    let instances = [0, 1].map(|_| instance("\"10/day fixed-window\"", &store));
    let instances = instances.each_ref();
    for _ in 0..20 {
        let statuses = at_once(&instances, 25)
            .into_iter()
            .map(|(status, _)| status);
        assert_eq!(passed(statuses), 10);
        redis.ask(&["FLUSHALL"]);
        // Denials are remembered for a second at most.
        std::thread::sleep(std::time::Duration::from_millis(1_100));
    }
}
