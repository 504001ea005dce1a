//! What holds on every SQL database holds on SQLite.

use aforo_store::{OpenError, Remote, SqlStore, StoreError};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use tempfile::TempDir;

use crate::stage::callers::{batch, charge, fixed, hits, terms};
use crate::stage::sql::{self, Base};
use crate::stage::{block_on, remote};
use aforo_store::Store as _;

/// A file in a folder of its own.
struct File(TempDir);

impl File {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }
}

impl Base for File {
    fn url(&self) -> String {
        crate::url(self.0.path())
    }

    fn ask(&self, sql: &str) -> String {
        let (url, sql) = (self.url(), sql.to_owned());
        // On a thread of its own, since it may be asked from within a runtime.
        let asked = std::thread::spawn(move || {
            block_on(async {
                let mut connection = SqliteConnection::connect(&url).await.unwrap();
                sqlx::query_scalar::<_, String>(AssertSqlSafe(sql))
                    .fetch_one(&mut connection)
                    .await
                    .unwrap()
            })
        });
        asked.join().unwrap()
    }
}

#[test]
fn rlx_21_first_hits_and_opposite_orders_make_no_error() {
    sql::rlx_21_first_hits_and_opposite_orders(&File::new());
}

#[test]
fn rlx_08_expired_rows_are_reclaimed() {
    sql::rlx_08_expired_rows_are_reclaimed(&File::new(), 1_000);
}

#[test]
fn rlx_23_an_expiry_is_in_the_right_unit() {
    sql::rlx_23_an_expiry_is_in_the_right_unit(&File::new());
}

#[test]
fn usage_is_seen_in_the_view() {
    sql::usage_is_seen_in_the_view(
        &File::new(),
        "substr(period_start, 1, 16)",
        "substr(period_end, 1, 16)",
    );
}

#[test]
fn a_settlement_of_nothing_has_a_name() {
    sql::a_settlement_of_nothing_has_a_name(&File::new());
}

#[test]
fn what_takes_nothing_leaves_no_row() {
    sql::what_takes_nothing_leaves_no_row(&File::new());
}

#[test]
fn instances_that_start_at_once_make_the_tables_once() {
    sql::instances_that_start_at_once_make_the_tables_once(&File::new());
}

#[test]
fn another_secret_is_refused() {
    sql::another_secret_is_refused(&File::new());
}

#[test]
fn counters_survive_the_instance() {
    sql::counters_survive_the_instance(&File::new());
}

#[test]
fn a_url_that_names_no_file_is_refused() {
    for wrong in [
        "sqlite:",
        "sqlite::memory:",
        "mysql://host/base",
        "quotas.db",
    ] {
        let opened = SqlStore::open(&Remote::new(wrong, 0));
        assert!(matches!(opened, Err(OpenError::Url { .. })), "{wrong}");
    }
    let mut odd = remote("sqlite:quotas.db");
    odd.namespace = "a\"b".to_owned();
    assert!(matches!(SqlStore::open(&odd), Err(OpenError::Url { .. })));
}

#[test]
fn a_file_that_cannot_be_made_is_a_failure_until_it_can() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("missing");
    let store = SqlStore::open(&remote(&crate::url(&missing))).unwrap();
    let policy = terms("policy", fixed(10, 86_400));
    block_on(async {
        let asked = batch(&[charge(&policy, 1, 1)]);
        let failed = store.charge(&asked).await;
        assert!(
            matches!(failed, Err(StoreError::Unavailable(_))),
            "{failed:?}"
        );
        std::fs::create_dir(&missing).unwrap();
        assert!(hits(&store, &policy, 1).await);
    });
}
