//! What holds on every SQL database.

use std::sync::Arc;

use aforo_core::{CalendarUnit, Edges, OnDenial, Quota, Span, Timestamp, Window};
use aforo_store::{ManualClock, Remote, SqlStore, Store, StoreError};
use tokio::task::JoinSet;

use super::block_on;
use super::callers::{
    START, batch, bucket, charge, consumer, fixed, hash, hits, left, one_a_second, seconds, take,
    terms,
};

/// A database to test.
pub(crate) trait Base {
    /// Its address.
    fn url(&self) -> String;

    /// Runs SQL; the first column of the first row as text.
    fn ask(&self, sql: &str) -> String;
}

/// How long a row is kept after its counter is neutral.
const KEPT: Span = Span::from_seconds(86_400);

fn store_at(base: &impl Base) -> (SqlStore, ManualClock, String) {
    let clock = ManualClock::at(START);
    let mut remote = super::remote(&base.url());
    remote.clock = Some(Arc::new(clock.clone()));
    (SqlStore::open(&remote).unwrap(), clock, remote.namespace)
}

fn rows(base: &impl Base, namespace: &str) -> u64 {
    let sql = format!("SELECT CAST(count(*) AS text) FROM {namespace}_counters");
    base.ask(&sql).parse().unwrap()
}

/// Of 100 first hits at once exactly 50 pass and none fails; then of 100 that name two policies
/// and two callers, half of them in the opposite order.
pub(crate) fn rlx_21_first_hits_and_opposite_orders(base: &impl Base) {
    let remote = super::remote(&base.url());
    let stores = [0, 1].map(|_| Arc::new(SqlStore::open(&remote).unwrap()));
    let quota = fixed(50, 86_400 * 300);
    block_on(async {
        let mut asked = JoinSet::new();
        for number in 0..100 {
            let store = Arc::clone(&stores[number % 2]);
            asked.spawn(async move { hits(&*store, &terms("first", quota), 1).await });
        }
        let taken = asked.join_all().await;
        assert_eq!(taken.into_iter().filter(|taken| *taken).count(), 50);

        let mut asked = JoinSet::new();
        for number in 0..100 {
            let store = Arc::clone(&stores[number % 2]);
            asked.spawn(async move {
                let (a, b) = (terms("a", quota), terms("b", quota));
                let mut charges = vec![
                    charge(&a, 2, 1),
                    charge(&b, 3, 1),
                    charge(&a, 3, 1),
                    charge(&b, 2, 1),
                ];
                if number % 4 < 2 {
                    charges.reverse();
                }
                take(&*store, &charges).await.taken
            });
        }
        let taken = asked.join_all().await;
        assert_eq!(taken.into_iter().filter(|taken| *taken).count(), 50);
        for (policy, caller) in [("a", 2), ("a", 3), ("b", 2), ("b", 3)] {
            assert_eq!(left(&*stores[0], &terms(policy, quota), caller).await, 0);
        }
    });
}

/// Rows that say nothing any more go, a few with each write, whatever the algorithm.
pub(crate) fn rlx_08_expired_rows_are_reclaimed(base: &impl Base, callers: u64) {
    let (store, clock, namespace) = store_at(base);
    let policies = one_a_second().map(|(name, quota)| terms(name, quota));
    block_on(async {
        for caller in 0..callers {
            let charges: Vec<_> = policies
                .iter()
                .map(|policy| charge(policy, caller, 1))
                .collect();
            assert!(take(&store, &charges).await.taken);
        }
        let mut before = rows(base, &namespace);
        assert_eq!(before, callers * 6);
        // A counter that says nothing is kept for a day: until then nothing goes.
        clock.advance(KEPT);
        assert!(hits(&store, &policies[0], callers).await);
        assert_eq!(rows(base, &namespace), before + 1);
        clock.advance(seconds(120));
        let new = terms("new", fixed(1, 86_400));
        let mut writes = 0;
        while rows(base, &namespace) > writes + 1 {
            assert!(hits(&store, &new, 1_000_000 + writes).await);
            writes += 1;
            let now = rows(base, &namespace);
            assert!(before + 1 - now.min(before + 1) <= 64, "a few at a time");
            assert!(writes <= callers, "eight go with each row that comes");
            before = now;
        }
    });
}

/// When a row may go is told in microseconds, rounded up to a minute.
pub(crate) fn rlx_23_an_expiry_is_in_the_right_unit(base: &impl Base) {
    let (store, _, namespace) = store_at(base);
    block_on(async {
        // 2.5 s for a token.
        assert!(hits(&store, &terms("slow", bucket(24, 60, 24)), 1).await);
    });
    let sql = format!("SELECT CAST(expires AS text) FROM {namespace}_counters");
    // 2.5 s and a day after the start.
    assert_eq!(base.ask(&sql), "1700085660000000");
}

/// The usage of a consumer in a month stands in the view.
pub(crate) fn usage_is_seen_in_the_view(base: &impl Base, starts: &str, ends: &str) {
    let (store, _, namespace) = store_at(base);
    let month = Quota::fixed_window(1_000, Window::Calendar(CalendarUnit::Month)).unwrap();
    let (month, minute) = (terms("month", month), terms("minute", fixed(60, 60)));
    let everyone = terms("everyone", fixed(500, 60));
    // October, November, December 2023.
    let edges = [1_696_118_400, 1_698_796_800, 1_701_388_800, 1_704_067_200];
    let edges = Edges::new(edges.map(Timestamp::from_seconds));
    let request = |id, cost| {
        let mut monthly = consumer(&month, id, cost);
        monthly.edges = edges;
        let mut shared = consumer(&everyone, id, 1);
        shared.partition = hash(7);
        [monthly, consumer(&minute, id, 1), shared]
    };
    block_on(async {
        let first = take(&store, &request("acme", 5)).await;
        assert!(take(&store, &request("acme", 2)).await.taken);
        assert!(take(&store, &request("globex", 1)).await.taken);
        store
            .settle(first.receipt, &|place| [9, 0, 1][place])
            .await
            .unwrap();
    });
    let view = format!("{namespace}_usage");
    let usage = |policy: &str, consumer: &str| {
        base.ask(&format!(
            "SELECT used || ' of ' || capacity || ', left ' || remaining FROM {view} \
             WHERE consumer = '{consumer}' AND policy = '{policy}'"
        ))
    };
    assert_eq!(usage("month", "acme"), "11 of 1000, left 989");
    assert_eq!(usage("minute", "acme"), "1 of 60, left 59");
    assert_eq!(usage("month", "globex"), "1 of 1000, left 999");
    let period = format!(
        "SELECT {starts} || ' to ' || {ends} FROM {view} \
         WHERE consumer = 'acme' AND policy = 'month'"
    );
    assert_eq!(base.ask(&period), "2023-11-01T00:00 to 2023-12-01T00:00");
    // What several consumers share is nobody's usage.
    let others = format!("SELECT CAST(count(*) AS text) FROM {view} WHERE policy = 'everyone'");
    assert_eq!(base.ask(&others), "0");
}

/// A counter that begins with a settlement has its name all the same.
pub(crate) fn a_settlement_of_nothing_has_a_name(base: &impl Base) {
    let (store, _, namespace) = store_at(base);
    let month = terms("month", fixed(1_000, 86_400 * 30));
    block_on(async {
        let charged = take(&store, &[consumer(&month, "acme", 0)]).await;
        store.settle(charged.receipt, &|_| 40).await.unwrap();
    });
    let sql = format!("SELECT consumer || ' ' || policy || ' ' || used FROM {namespace}_usage");
    assert_eq!(base.ask(&sql), "acme month 40");
}

/// A request that is denied, a peek and an empty refund leave no row.
pub(crate) fn what_takes_nothing_leaves_no_row(base: &impl Base) {
    let (store, _, namespace) = store_at(base);
    let (one, many) = (terms("one", fixed(1, 60)), terms("many", fixed(100, 60)));
    block_on(async {
        assert!(hits(&store, &one, 1).await);
        assert_eq!(rows(base, &namespace), 1);
        for caller in 2..20 {
            let request = [charge(&one, 1, 1), charge(&many, caller, 1)];
            assert!(!take(&store, &request).await.taken);
            assert_eq!(left(&store, &many, caller).await, 100);
        }
        assert_eq!(rows(base, &namespace), 1);
        let mut counted = charge(&many, 2, 1);
        counted.on_denial = OnDenial::Take;
        assert!(!take(&store, &[charge(&one, 1, 1), counted]).await.taken);
        assert_eq!(rows(base, &namespace), 2);
        store.reset(&batch(&[counted])).await.unwrap();
        assert_eq!(rows(base, &namespace), 1);
    });
}

/// Several instances that start at once make the tables once.
pub(crate) fn instances_that_start_at_once_make_the_tables_once(base: &impl Base) {
    let remote = super::remote(&base.url());
    let policy = fixed(1_000, 86_400 * 300);
    block_on(async {
        let mut asked = JoinSet::new();
        for _ in 0..8 {
            let store = SqlStore::open(&remote).unwrap();
            asked.spawn(async move { hits(&store, &terms("policy", policy), 1).await });
        }
        assert!(asked.join_all().await.into_iter().all(|taken| taken));
        let store = SqlStore::open(&remote).unwrap();
        assert_eq!(left(&store, &terms("policy", policy), 1).await, 992);
    });
}

/// An instance with another secret is refused, and counts nothing.
pub(crate) fn another_secret_is_refused(base: &impl Base) {
    let ours = super::remote(&base.url());
    let theirs = Remote {
        fingerprint: ours.fingerprint ^ 1,
        ..ours.clone()
    };
    let policy = terms("policy", fixed(10, 86_400 * 300));
    block_on(async {
        let (ours, theirs) = (
            SqlStore::open(&ours).unwrap(),
            SqlStore::open(&theirs).unwrap(),
        );
        assert!(hits(&ours, &policy, 1).await);
        let asked = batch(&[charge(&policy, 1, 1)]);
        for _ in 0..2 {
            let refused = theirs.charge(&asked).await;
            assert!(
                matches!(refused, Err(StoreError::HashKeyDiffers)),
                "{refused:?}"
            );
        }
        assert_eq!(left(&ours, &policy, 1).await, 9);
    });
}

/// A store that was opened again goes on counting.
pub(crate) fn counters_survive_the_instance(base: &impl Base) {
    let remote = super::remote(&base.url());
    let policy = terms("policy", fixed(10, 86_400 * 300));
    for number in 1..4 {
        block_on(async {
            let store = SqlStore::open(&remote).unwrap();
            assert!(hits(&store, &policy, 1).await);
            assert_eq!(left(&store, &policy, 1).await, 10 - number);
        });
    }
}
