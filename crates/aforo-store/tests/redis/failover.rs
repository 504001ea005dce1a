//! Sentinels that name another master, and slots that move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use aforo_servers::{Cluster, Sentinels, until};
use aforo_store::{RedisStore, Remote, Store};

use crate::scene::{
    batch, caller, charge, fixed, hit, hits, one_of_each, seconds, taken_at_once, terms,
};
use crate::stage::{CLUSTER, block_on, remote};

fn store(url: String) -> Arc<RedisStore> {
    let remote = Remote {
        timeout: Duration::from_millis(500),
        ..remote(url)
    };
    Arc::new(RedisStore::open(&remote).unwrap())
}

/// A failover that leaves the old master up as a replica: pooled connections are left, and one
/// quota holds over both masters where everything was replicated.
#[test]
fn rl_46_a_failover_leaves_no_connection_on_a_replica() {
    let sentinels = Sentinels::start();
    let store = store(sentinels.url());
    let policy = terms("policy", fixed(10, seconds(86_400)));
    until("a first answer", || {
        block_on(hit(&store, &policy, caller("first"))).is_ok()
    });
    assert_eq!(
        block_on(taken_at_once(&store, &policy, caller("acme"), 5)),
        5
    );
    sentinels.servers()[0].ask(&["WAIT", "1", "5000"]);
    sentinels.fail_over();
    let mut taken = 0;
    let mut failed = 0;
    for _ in 0..20 {
        match block_on(hit(&store, &policy, caller("acme"))) {
            Ok(outcome) => taken += u64::from(outcome.is_allowed()),
            Err(_) => {
                failed += 1;
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
    assert!(failed < 15, "{failed} of 20 failed");
    assert_eq!(taken, 5);
    sentinels
        .servers()
        .iter()
        .for_each(aforo_servers::Redis::every_key_ends);
}

/// What asynchronous replication can lose: units that the old master acknowledged and did not
/// hand on before it died. Everything else still counts.
#[test]
fn a_killed_master_loses_only_what_it_had_not_replicated() {
    let mut sentinels = Sentinels::start();
    let store = store(sentinels.url());
    let quota = 10_000_000;
    let policy = terms("policy", fixed(quota, seconds(86_400)));
    until("a first answer", || {
        block_on(hit(&store, &policy, caller("first"))).is_ok()
    });
    let (stop, taken) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let hammer = {
        let (stop, taken) = (Arc::clone(&stop), Arc::clone(&taken));
        let (store, policy) = (Arc::clone(&store), policy.clone());
        std::thread::spawn(move || {
            while !stop.load(SeqCst) {
                let hits = block_on(crate::scene::at_once(&store, &policy, caller("acme"), 64));
                let count = hits.iter().filter(|hit| matches!(hit, Ok(true))).count();
                taken.fetch_add(count as u64, SeqCst);
            }
        })
    };
    until("some traffic", || taken.load(SeqCst) > 5_000);
    let before = sentinels.master_port();
    let last_moment = taken.load(SeqCst);
    sentinels.servers_mut()[0].kill();
    stop.store(true, SeqCst);
    hammer.join().unwrap();
    let acknowledged = taken.load(SeqCst);
    sentinels.wait_for_master_other_than(before);
    let mut counted = 0;
    until("an answer of the new master", || {
        let asked = batch(&[charge(&policy, caller("acme"), 0)]);
        let peeked = block_on(async { store.peek(&asked).await });
        peeked.is_ok_and(|peeked| {
            counted = quota - peeked.outcomes[0].remaining;
            true
        })
    });
    let lost = acknowledged.saturating_sub(counted);
    println!("{acknowledged} units acknowledged, {counted} counted after, {lost} lost");
    // All that was there when the master was about to be killed had milliseconds to get over.
    assert!(lost <= acknowledged - last_moment + 2 * 64, "{lost} lost");
    assert!(counted > 4_000);
}

/// A slot that moved is followed by every algorithm, with its counters.
#[test]
fn rlx_28_a_moved_slot_is_followed() {
    let cluster = Cluster::start();
    let store = RedisStore::open(&remote(cluster.url())).unwrap();
    let policies: Vec<_> = ["a", "b", "c", "d", "e"]
        .into_iter()
        .zip(one_of_each())
        .map(|(name, quota)| terms(name, quota))
        .collect();
    for policy in &policies {
        assert_eq!(block_on(hits(&store, policy, caller("acme"), 1)), [true]);
    }
    let tag = format!("{{{:032x}}}", caller("acme").hash.0);
    let slot = cluster.nodes()[0].ask(&["CLUSTER", "KEYSLOT", &tag]);
    let slot: u16 = slot.trim().parse().unwrap();
    let from = usize::from(slot / 5_461).min(2);
    cluster.move_slot(slot, from, (from + 1) % 3);
    for policy in &policies {
        let taken = block_on(hits(&store, policy, caller("acme"), 2));
        assert_eq!(taken, [true, false], "{}", policy.name());
    }
    cluster.every_key_ends();
}

/// Each node can lose the script by itself.
#[test]
fn rl_09_a_node_of_a_cluster_that_lost_the_script_gets_it_again() {
    let store = Arc::new(RedisStore::open(&remote(CLUSTER.url())).unwrap());
    let policy = terms("policy", fixed(3, seconds(86_400)));
    for node in CLUSTER.nodes() {
        for name in ["one", "two", "three", "four"] {
            block_on(hits(
                &store,
                &policy,
                caller(&format!("{name} {}", node.port())),
                1,
            ));
        }
        node.ask(&["SCRIPT", "FLUSH"]);
        for name in ["one", "two", "three", "four"] {
            let caller = caller(&format!("{name} {}", node.port()));
            assert_eq!(block_on(taken_at_once(&store, &policy, caller, 5)), 2);
        }
    }
}

/// A caller that goes away between two slots takes nothing with it.
#[test]
fn an_abandoned_batch_gives_back_what_it_held() {
    let cluster = Cluster::start();
    let store = RedisStore::open(&remote(cluster.url())).unwrap();
    let policy = terms("policy", fixed(10, seconds(86_400)));
    let callers: Vec<_> = (0..12)
        .map(|number| caller(&format!("caller {number}")))
        .collect();
    let charges: Vec<_> = callers.iter().map(|one| charge(&policy, *one, 1)).collect();
    let left = || -> u64 {
        let asked: Vec<_> = callers.iter().map(|one| charge(&policy, *one, 0)).collect();
        let peeked = block_on(async { store.peek(&batch(&asked)).await }).unwrap();
        peeked
            .outcomes
            .iter()
            .map(|outcome| outcome.remaining)
            .sum()
    };
    assert_eq!(left(), 120);
    // The last node answers nobody, so the batch is abandoned with the others held.
    cluster.nodes()[2].freeze();
    let asked = batch(&charges);
    let abandoned = block_on(async {
        tokio::time::timeout(Duration::from_millis(300), store.charge(&asked)).await
    });
    assert!(abandoned.is_err());
    cluster.nodes()[2].thaw();
    until("what was held to come back", || left() >= 119);
}
