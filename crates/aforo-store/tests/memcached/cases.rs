//! Cases of Memcached's own.

use std::sync::Arc;

use aforo_core::{Quota, Window};
use aforo_servers::Memcached;
use aforo_store::{ManualClock, MemcachedStore, Remote, Store, StoreError};
use tokio::task::JoinSet;

use crate::stage::callers::{
    START, batch, bucket, charge, fixed, hash, hits, left, seconds, take, terms,
};
use crate::stage::race::at_once;
use crate::stage::{block_on, remote};

const DAY: u64 = 86_400;

fn store_at(server: &Memcached, clock: &ManualClock) -> (MemcachedStore, Remote) {
    let mut remote = remote(&server.url());
    remote.clock = Some(Arc::new(clock.clone()));
    (MemcachedStore::open(&remote).unwrap(), remote)
}

/// The key of a caller's value.
fn key(remote: &Remote, caller: u64) -> String {
    format!("{}:s{:032x}", remote.namespace, hash(caller).0)
}

/// How long the server keeps a value, in seconds.
fn kept(server: &Memcached, key: &str) -> u64 {
    let answer = server.ask(&format!("mg {key} t\r\n"));
    let kept = answer.trim().strip_prefix("HD t");
    kept.and_then(|kept| kept.parse().ok())
        .unwrap_or_else(|| panic!("{key}: {answer}"))
}

#[test]
fn rl_54_windows_of_30_days_and_longer_are_kept() {
    let server = Memcached::start();
    for (days, from) in [
        (29, 29 * DAY + 55),
        (30, 30 * DAY + 3_655),
        (60, 60 * DAY + 3_655),
    ] {
        let clock = ManualClock::at(START);
        let (store, remote) = store_at(&server, &clock);
        let window = Window::FirstHit(seconds(days * DAY));
        let policy = terms("policy", Quota::fixed_window(2, window).unwrap());
        block_on(async {
            for (second, right) in [(0, true), (1, true), (2, false)] {
                clock.set(START.plus(seconds(second)));
                assert_eq!(hits(&store, &policy, 1).await, right, "{days} days");
            }
        });
        let kept = kept(&server, &key(&remote, 1));
        assert!(
            (from - 60..from + 60).contains(&kept),
            "{days} days: {kept} s"
        );
    }
}

#[test]
fn rlx_23_a_value_is_kept_until_it_is_whole_again_and_a_minute() {
    let server = Memcached::start();
    let (store, remote) = store_at(&server, &ManualClock::at(START));
    block_on(async {
        // 2.5 s for a token.
        assert!(hits(&store, &terms("slow", bucket(24, 60, 24)), 1).await);
    });
    let kept = kept(&server, &key(&remote, 1));
    assert!((1..=63).contains(&kept), "{kept}");
}

#[test]
fn rl_05_every_counter_has_an_expiry() {
    let server = Memcached::start();
    let (store, remote) = store_at(&server, &ManualClock::at(START));
    let policies = crate::stage::callers::one_a_second().map(|(name, quota)| terms(name, quota));
    block_on(async {
        for caller in 0..20 {
            let charges: Vec<_> = policies
                .iter()
                .map(|terms| charge(terms, caller, 1))
                .collect();
            let charged = take(&store, &charges).await;
            assert!(charged.taken);
            if caller % 2 == 0 {
                store.refund(charged.receipt).await.unwrap();
            }
        }
    });
    assert_eq!(server.stat("curr_items"), 21);
    // What is being read at the moment is left out.
    let items = server.ask("lru_crawler metadump all\r\n");
    assert!(items.matches("key=").count() >= 18, "{items}");
    // Without the fingerprint another secret would not be noticed.
    let fingerprint = format!("key={}%3Ahash-key ", remote.namespace);
    let endless = |line: &&str| line.contains("exp=-1") && !line.starts_with(&fingerprint);
    assert_eq!(items.lines().find(endless), None);
}

#[test]
fn rlx_38_the_decision_is_what_is_written() {
    let server = Memcached::start();
    let (store, remote) = store_at(&server, &ManualClock::at(START));
    let (store, quota) = (Arc::new(store), fixed(5, 60));
    let policy = terms("race", quota);
    block_on(async {
        assert_eq!(at_once(&store, quota, 1, 50).await, 5);
        let key = key(&remote, 1);
        // A value that is none of ours is an error, once.
        server.ask(&format!("set {key} 0 0 3\r\nabc\r\n"));
        let asked = batch(&[charge(&policy, 1, 1)]);
        let garbage = store.charge(&asked).await;
        assert!(
            matches!(garbage, Err(StoreError::Unavailable(_))),
            "{garbage:?}"
        );
        assert!(hits(&*store, &policy, 1).await);
        assert_eq!(left(&*store, &policy, 1).await, 4);
        // An evicted one starts a fresh window.
        assert_eq!(server.ask(&format!("delete {key}\r\n")).trim(), "DELETED");
        assert_eq!(at_once(&store, quota, 1, 10).await, 5);
    });
}

#[test]
fn rl_21_values_are_written_all_or_none_between_instances() {
    let server = Memcached::start();
    let remote = remote(&server.url());
    let stores = [0, 1, 2].map(|_| Arc::new(MemcachedStore::open(&remote).unwrap()));
    let quota = fixed(40, DAY * 300);
    block_on(async {
        let mut asked = JoinSet::new();
        for number in 0..90_usize {
            let store = Arc::clone(&stores[number % 3]);
            asked.spawn(async move {
                let policy = terms("policy", quota);
                let mut callers = [1, 2, 3];
                callers.rotate_left(number % 3);
                // Two of three callers each.
                let charges = [
                    charge(&policy, callers[0], 1),
                    charge(&policy, callers[1], 1),
                ];
                take(&*store, &charges).await.taken.then_some(callers)
            });
        }
        let mut used = [0_u64; 4];
        for callers in asked.join_all().await.into_iter().flatten() {
            used[callers[0] as usize] += 1;
            used[callers[1] as usize] += 1;
        }
        // What did not come to be was given back: nothing leaks, nothing is counted twice.
        for caller in 1..4 {
            let left = left(&*stores[0], &terms("policy", quota), caller).await;
            assert_eq!(used[caller as usize] + left, 40, "caller {caller}");
        }
        assert!(used.iter().all(|used| *used <= 40), "{used:?}");
    });
}

#[test]
fn rlx_34_a_clock_that_is_ahead_ends_no_window_for_the_others() {
    let server = Memcached::start();
    let clocks = [4, 0].map(|ahead| ManualClock::at(START.plus(seconds(7 + ahead))));
    let mut remote = remote(&server.url());
    let [ahead, right] = clocks.clone().map(|clock| {
        remote.clock = Some(Arc::new(clock));
        MemcachedStore::open(&remote).unwrap()
    });
    let policy = terms("policy", fixed(2, 10));
    block_on(async {
        let one = [charge(&policy, 1, 1)];
        let first = take(&ahead, &one).await;
        let second = take(&right, &one).await;
        clocks[0].set(START.plus(seconds(12)));
        let third = take(&ahead, &one).await;
        let taken = [&first, &second, &third].map(|charged| charged.taken);
        assert_eq!(taken, [true, true, false]);
        let edges = [&first, &second, &third].map(|charged| charged.outcomes[0].edge);
        assert_eq!(edges, [Some(START.plus(seconds(20))); 3]);
    });
}

#[test]
fn another_secret_is_refused_at_once() {
    let server = Memcached::start();
    let ours = remote(&server.url());
    let theirs = Remote {
        fingerprint: ours.fingerprint ^ 1,
        ..ours.clone()
    };
    let policy = terms("policy", fixed(10, DAY));
    let (one, other) = (
        MemcachedStore::open(&ours).unwrap(),
        MemcachedStore::open(&theirs).unwrap(),
    );
    block_on(async {
        assert!(hits(&one, &policy, 1).await);
        let asked = batch(&[charge(&policy, 1, 1)]);
        let refused = other.charge(&asked).await;
        assert!(
            matches!(refused, Err(StoreError::HashKeyDiffers)),
            "{refused:?}"
        );
        // Emptied, it belongs to who comes first.
        assert_eq!(server.ask("flush_all\r\n").trim(), "OK");
        assert!(hits(&other, &policy, 1).await);
        let refused = one.charge(&asked).await;
        assert!(
            matches!(refused, Err(StoreError::HashKeyDiffers)),
            "{refused:?}"
        );
    });
}
