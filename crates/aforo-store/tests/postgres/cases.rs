//! What holds on every SQL database holds on PostgreSQL.

use aforo_core::Timestamp;
use aforo_servers::Postgres;
use aforo_store::{OpenError, Remote, SqlStore};

use crate::stage::callers::{charge, fixed, take, terms};
use crate::stage::sql::{self, Base};
use crate::stage::{block_on, remote};

impl Base for Postgres {
    fn url(&self) -> String {
        self.url()
    }

    fn ask(&self, sql: &str) -> String {
        self.ask(sql)
    }
}

#[test]
fn rlx_21_first_hits_and_opposite_orders_make_no_error() {
    let server = Postgres::with(&["log_lock_waits=on", "deadlock_timeout=100ms"]);
    sql::rlx_21_first_hits_and_opposite_orders(&server);
    // None had to be resolved either.
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'";
    assert_eq!(server.ask(deadlocks), "0");
}

#[test]
fn rlx_08_expired_rows_are_reclaimed() {
    sql::rlx_08_expired_rows_are_reclaimed(&Postgres::start(), 200);
}

#[test]
fn rlx_23_an_expiry_is_in_the_right_unit() {
    sql::rlx_23_an_expiry_is_in_the_right_unit(&Postgres::start());
}

#[test]
fn usage_is_seen_in_the_view() {
    let text =
        |column: &str| format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI')");
    let server = Postgres::start();
    sql::usage_is_seen_in_the_view(&server, &text("period_start"), &text("period_end"));
}

#[test]
fn a_settlement_of_nothing_has_a_name() {
    sql::a_settlement_of_nothing_has_a_name(&Postgres::start());
}

#[test]
fn what_takes_nothing_leaves_no_row() {
    sql::what_takes_nothing_leaves_no_row(&Postgres::start());
}

#[test]
fn instances_that_start_at_once_make_the_tables_once() {
    sql::instances_that_start_at_once_make_the_tables_once(&Postgres::start());
}

#[test]
fn another_secret_is_refused() {
    sql::another_secret_is_refused(&Postgres::start());
}

#[test]
fn counters_survive_the_instance() {
    sql::counters_survive_the_instance(&Postgres::start());
}

#[test]
fn a_url_that_is_none_is_refused_without_showing_it() {
    let opened = SqlStore::open(&Remote::new("postgres://user:secret@host:port/base", 0));
    let error = opened.err().unwrap();
    assert!(matches!(error, OpenError::Url { .. }));
    assert!(!error.to_string().contains("secret"));
}

/// The time is the server's, read when the rows are locked: not when the transaction began, nor
/// when the statement did that had to wait for them.
#[test]
fn rlx_34_the_time_is_the_server_s_when_the_rows_are_locked() {
    let server = Postgres::start();
    let remote = remote(&server.url());
    let store = SqlStore::open(&remote).unwrap();
    let policy = terms("policy", fixed(10, 86_400 * 300));
    let micros = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let now = || Timestamp::from_micros(server.ask(&format!("SELECT {micros}")).parse().unwrap());
    block_on(async {
        let before = now();
        let first = take(&store, &[charge(&policy, 1, 1)]).await.outcomes[0];
        assert!(before <= first.at && first.at <= now());
        let table = format!("{}_counters", remote.namespace);
        let locked = std::thread::scope(|scope| {
            let holding = scope.spawn(|| {
                server.ask(&format!(
                    "BEGIN; SELECT FROM {table} FOR UPDATE; SELECT pg_sleep(0.5); \
                     SELECT {micros}; COMMIT"
                ))
            });
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.5)%' \
                 AND wait_event = 'PgSleep'";
            aforo_servers::until("the rows are locked", || server.ask(waiting) == "1");
            let second = scope.spawn(|| block_on(take(&store, &[charge(&policy, 1, 1)])));
            let released = holding.join().unwrap().lines().last().unwrap().to_owned();
            let released = Timestamp::from_micros(released.parse().unwrap());
            (released, second.join().unwrap().outcomes[0].at)
        });
        assert!(locked.0 <= locked.1, "{locked:?}");
    });
}
