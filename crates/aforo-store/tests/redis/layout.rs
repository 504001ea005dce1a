//! What stands in the server: `docs/redis.md`.

use aforo_core::{Charge, PrincipalKind, Quota};
use aforo_servers::Redis;
use aforo_store::{RedisStore, Remote, StoreError};

use crate::scene::{all, batch, bucket, caller, charge, fixed, hash, hit, hits, seconds, terms};
use crate::stage::{CLUSTER, block_on, remote};
use aforo_store::Store;

/// A store in the namespace of the contract.
fn store(server: &Redis) -> RedisStore {
    let remote = Remote {
        namespace: "aforo".to_owned(),
        ..remote(server.url())
    };
    RedisStore::open(&remote).unwrap()
}

fn counters(server: &Redis) -> Vec<String> {
    let mut keys = server.keys();
    keys.retain(|key| key != "aforo:fingerprint");
    keys.sort();
    keys
}

#[test]
fn a_principal_has_one_value_for_all_its_policies() {
    let server = Redis::start();
    let store = store(&server);
    let policies = [
        terms("minute", bucket(60, seconds(60), 10)),
        terms(
            "hour",
            Quota::sliding_window(1_000, seconds(3_600)).unwrap(),
        ),
        terms("day", fixed(10_000, seconds(86_400))),
    ];
    let consumer = caller("acme");
    block_on(async {
        let charges = policies
            .each_ref()
            .map(|policy| charge(policy, consumer, 1));
        assert!(all(&store, &charges).await.unwrap().taken);
        // A part that the operator set up stays in the principal's value.
        let mut route = charge(&policies[0], consumer, 1);
        route.principal.kind = PrincipalKind::Known;
        route.partition = hash("acme, GET /orders");
        assert!(all(&store, &[route]).await.unwrap().taken);
    });
    let key = format!("aforo:{{{:032x}}}", consumer.hash.0);
    assert_eq!(counters(&server), [key.as_str()]);
    // A version, the end of the last record, three records of 45 bytes and one with a partition.
    assert_eq!(server.ask(&["STRLEN", &key]).trim(), "203");
    assert!(server.ask(&["GET", &key]).starts_with('\u{1}'));
}

#[test]
fn what_anybody_can_make_up_has_a_value_of_its_own() {
    let server = Redis::start();
    let store = store(&server);
    let policy = terms("per-account", fixed(5, seconds(60)));
    let log = terms("log", Quota::sliding_log(5, seconds(60)).unwrap());
    let address = caller("192.0.2.1");
    let account = Charge {
        partition: hash("192.0.2.1, alice"),
        ..charge(&policy, address, 1)
    };
    block_on(async {
        let charges = [account, charge(&log, address, 1)];
        assert!(all(&store, &charges).await.unwrap().taken);
    });
    let principal = format!("aforo:{{{:032x}}}", address.hash.0);
    let (own, partition) = (address.hash.0, account.partition.0);
    let tag = log.tag();
    assert_eq!(
        counters(&server),
        [
            principal.clone(),
            format!("{principal}:{partition:032x}"),
            format!("{principal}:s{own:032x}:{tag:016x}"),
        ]
        .into_iter()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
    );
}

#[test]
fn a_value_of_another_version_is_an_error_and_stays() {
    let server = Redis::start();
    let store = store(&server);
    let policy = terms("policy", fixed(5, seconds(60)));
    let consumer = caller("acme");
    let key = format!("aforo:{{{:032x}}}", consumer.hash.0);
    server.ask(&["SET", &key, "\u{2}another layout", "PX", "60000"]);
    let error = block_on(hit(&store, &policy, consumer)).unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    assert!(error.to_string().contains("layout version 2"), "{error}");
    assert!(server.ask(&["GET", &key]).contains("another layout"));
}

#[test]
fn neutral_records_go_when_a_value_has_many() {
    let server = Redis::start();
    let store = store(&server);
    let consumer = caller("acme");
    // Each is whole again after a millisecond, and dropped a second later.
    let quick = Quota::token_bucket(1_000, seconds(1), Some(1)).unwrap();
    let key = format!("aforo:{{{:032x}}}", consumer.hash.0);
    let length = || -> usize { server.ask(&["STRLEN", &key]).trim().parse().unwrap() };
    block_on(async {
        for name in 0..60 {
            let policy = terms(&format!("quick-{name}"), quick);
            hit(&store, &policy, consumer).await.unwrap();
        }
        let day = terms("day", fixed(10, seconds(86_400)));
        hit(&store, &day, consumer).await.unwrap();
    });
    assert_eq!(length(), 7 + 61 * 45);
    let mut number = 0;
    aforo_servers::until("neutral records to go", || {
        number += 1;
        let policy = terms(&format!("other-{number}"), quick);
        block_on(hit(&store, &policy, consumer)).unwrap();
        length() < 7 + (61 + number) * 45
    });
    let day = terms("day", fixed(10, seconds(86_400)));
    assert_eq!(block_on(hit(&store, &day, consumer)).unwrap().remaining, 8);
}

/// Braces in what a caller sends cannot choose a slot: they are hashed before.
#[test]
fn rl_19_braces_in_a_caller_s_name_change_nothing_on_a_cluster() {
    let store = RedisStore::open(&remote(CLUSTER.url())).unwrap();
    let policies = [
        terms("bucket", bucket(2, seconds(60), 2)),
        terms("log", Quota::sliding_log(2, seconds(60)).unwrap()),
    ];
    for name in ["203.0.113.7", "a}{b", "{}"] {
        for policy in &policies {
            let taken = block_on(hits(&store, policy, caller(name), 3));
            assert_eq!(taken, [true, true, false], "{name}");
        }
    }
    CLUSTER.every_key_ends();
}

/// Whatever the script reads or writes is in KEYS.
#[test]
fn rlx_28_the_script_touches_declared_keys_only() {
    let script = [
        include_str!("../../src/redis/script/request.lua"),
        include_str!("../../src/redis/script/bucket.lua"),
        include_str!("../../src/redis/script/windows.lua"),
        include_str!("../../src/redis/script/log.lua"),
        include_str!("../../src/redis/script/correct.lua"),
        include_str!("../../src/redis/script/run.lua"),
    ]
    .concat();
    let calls: Vec<&str> = script.split("call('").skip(1).collect();
    assert!(calls.len() >= 8, "only {} calls", calls.len());
    for call in calls {
        let (command, rest) = call.split_once('\'').unwrap();
        let declared = command == "TIME" || rest.starts_with(", KEYS[");
        assert!(declared, "{command}{}", &rest[..20]);
    }
}

/// What is asked about several callers is answered about each.
#[test]
fn a_peek_at_several_slots_takes_nothing() {
    let store = RedisStore::open(&remote(CLUSTER.url())).unwrap();
    let policy = terms("policy", fixed(1, seconds(86_400)));
    let callers = ["one", "two", "three", "four"].map(caller);
    let charges = callers.map(|caller| charge(&policy, caller, 1));
    block_on(async {
        for _ in 0..2 {
            let peeked = store.peek(&batch(&charges)).await.unwrap();
            assert!(peeked.taken && peeked.receipt.lines().is_empty());
        }
        assert!(all(&store, &charges).await.unwrap().taken);
    });
}
