//! Nothing secret is kept or shown.

use std::time::Duration;

use aforo::core::Span;
use aforo::registry::Registry;

use crate::scene::{Scene, text};

#[tokio::test]
async fn no_api_key_is_in_the_file_or_its_log() {
    let scene = Scene::sqlite();
    let acme = scene.create("acme").await;
    let (registry, author) = (&scene.registry, &scene.author);
    let issue = registry.issue_key(&acme, None, None, author);
    let (first, _) = issue.await.unwrap();
    let id = first.id();
    let rotate = registry.rotate_key(&id, Span::ZERO, None, author);
    let second = rotate.await.unwrap().issued;
    let known = registry
        .by_api_key(second.reveal().as_bytes())
        .await
        .unwrap();
    let shown = format!(
        "{known:?} {first:?} {registry:?} {:?}",
        registry.keys(&acme).await
    );
    let mut seen = shown.into_bytes();
    let mut files = 0;
    for entry in std::fs::read_dir(scene.file().parent().unwrap()).unwrap() {
        seen.extend(std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files >= 2, "the file and its log of what comes");
    let seen = String::from_utf8_lossy(&seen);
    assert!(seen.contains(first.id().as_str()), "the public id is there");
    for key in [first, second] {
        let secret = key.reveal().rsplit('_').next().unwrap();
        assert!(!seen.contains(secret));
    }
}

#[tokio::test]
async fn the_databases_password_is_in_no_error() {
    let mut scene = Scene::postgres();
    scene.create("acme").await;
    let right = scene.url();
    let addresses = [
        right.replace("postgres@", "nobody:hunter2@"),
        right.replace("postgres@127.0.0.1", "nobody:hunter2@no.such.host.invalid"),
        "postgres://nobody:hunter2@127.0.0.1:1/postgres".to_owned(),
        right
            .replace("postgres@", "postgres:hunter2@")
            .replace("/postgres?", "/no-such?"),
    ];
    for address in addresses {
        let patience = Duration::from_secs(5);
        let registry = Registry::open(&address.parse().unwrap(), patience).unwrap();
        let error = registry.by_id("acme").await.unwrap_err();
        let shown = format!("{error} {error:?} {registry:?} {}", registry.url());
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(error.is_outage(), "{error}");
    }
    let id = text("acme");
    scene.server().kill();
    assert!(scene.registry.consumer(&id).await.unwrap_err().is_outage());
}
