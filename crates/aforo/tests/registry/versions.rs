//! Tables of other versions.

use std::time::Duration;

use aforo::registry::{NewOverride, Registry, RegistryError};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use crate::scene::{Scene, open, text};

const FIRST: &str = include_str!("../../src/registry/migrations/1.sql");

/// What the first version left behind, with a consumer and a key in it.
const OF_THEN: &str = "CREATE TABLE aforo_registry (version BIGINT NOT NULL);
    INSERT INTO aforo_registry VALUES (1);
    INSERT INTO aforo_consumers (id, plan, created) VALUES ('acme', 'pro', 1);
    INSERT INTO aforo_api_keys (id, consumer, sha256, created) VALUES ('testtesttest', 'acme',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 1);";

async fn run(scene: &mut Scene, sql: &str) {
    if scene.url().starts_with("postgres") {
        scene.server().ask(sql);
        return;
    }
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(scene.file())
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    let script = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    script.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

fn first(scene: &Scene) -> String {
    let serial = match scene.url().starts_with("postgres") {
        true => "BIGINT GENERATED ALWAYS AS IDENTITY",
        false => "INTEGER",
    };
    FIRST.replace("{serial}", serial) + OF_THEN
}

#[tokio::test]
async fn tables_of_the_first_version_become_the_newest_with_what_they_hold() {
    for mut scene in Scene::both() {
        let sql = first(&scene);
        run(&mut scene, &sql).await;
        let known = scene.registry.by_api_key(b"test").await.unwrap().unwrap();
        assert_eq!(known.consumer.id, "acme");
        assert_eq!(known.consumer.plan.as_deref(), Some("pro"));
        let new = NewOverride {
            policy: aforo::core::PolicyName::new("p").unwrap(),
            quota: "1/day".parse().unwrap(),
            starts: None,
            ends: None,
            reason: None,
        };
        let acme = text("acme");
        let set = scene.registry.set_override(&acme, &new, &scene.author);
        assert!(set.await.is_ok());
        assert!(scene.another().by_id("acme").await.unwrap().is_some());
    }
}

#[tokio::test]
async fn tables_of_a_newer_version_are_left_alone() {
    for mut scene in Scene::both() {
        scene.create("acme").await;
        run(&mut scene, "UPDATE aforo_registry SET version = 99").await;
        let answer = scene.another().by_id("acme").await;
        assert_eq!(answer, Err(RegistryError::NewerTables));
    }
}

#[tokio::test]
async fn several_instances_may_come_first() {
    for scene in Scene::both() {
        let others: Vec<Registry> = (0..6).map(|_| open(&scene.url())).collect();
        let asked = others.iter().map(|other| async move {
            tokio::time::timeout(Duration::from_secs(60), other.has_consumers()).await
        });
        for answer in futures(asked).await {
            assert_eq!(answer.unwrap(), Ok(false));
        }
    }
}

/// All of them at once, in their order.
async fn futures<F>(all: impl Iterator<Item = F>) -> Vec<F::Output>
where
    F: Future,
{
    let mut all: Vec<_> = all.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        let mut waiting = false;
        for (one, done) in &mut all {
            if done.is_none() {
                match one.as_mut().poll(context) {
                    std::task::Poll::Ready(output) => *done = Some(output),
                    std::task::Poll::Pending => waiting = true,
                }
            }
        }
        match waiting {
            true => std::task::Poll::Pending,
            false => std::task::Poll::Ready(()),
        }
    })
    .await;
    all.into_iter().filter_map(|(_, done)| done).collect()
}
