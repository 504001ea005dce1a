//! A database that goes away and comes back.

use std::time::Duration;

use aforo::registry::{Registry, RegistryError};

use crate::scene::{Scene, open, text};

#[tokio::test]
async fn a_restarted_server_is_found_again() {
    let mut scene = Scene::postgres();
    let acme = scene.create("acme").await;
    scene.server().restart();
    assert!(scene.registry.by_id("acme").await.unwrap().is_some());
    scene.server().restart();
    let issued = scene.registry.issue_key(&acme, None, None, &scene.author);
    assert!(issued.await.is_ok());
}

#[tokio::test]
async fn a_dead_or_frozen_server_is_an_outage_in_time() {
    let mut scene = Scene::postgres();
    scene.create("acme").await;
    let patience = Duration::from_millis(500);
    let registry = Registry::open(&scene.url().parse().unwrap(), patience).unwrap();
    assert!(registry.by_id("acme").await.unwrap().is_some());
    scene.server().freeze();
    assert_eq!(registry.by_id("acme").await, Err(RegistryError::Timeout));
    scene.server().thaw();
    assert!(registry.by_id("acme").await.unwrap().is_some());
    scene.server().kill();
    let dead = registry.by_id("acme").await.unwrap_err();
    assert!(dead.is_outage(), "{dead}");
    scene.server().restart();
    assert!(registry.by_id("acme").await.unwrap().is_some());
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_is_an_outage() {
    let registry = open("sqlite:/nowhere/at/all/consumers.db");
    let error = registry.by_id("acme").await.unwrap_err();
    assert!(error.is_outage(), "{error}");
    let (acme, author) = (aforo::registry::NewConsumer::new(text("acme")), text("ana"));
    let error = registry.create(&acme, &author);
    assert!(error.await.unwrap_err().is_outage());
}

#[test]
fn an_address_of_something_else_is_refused() {
    for wrong in ["redis://127.0.0.1", "memory", "sqlite::memory:"] {
        let url = wrong.parse().unwrap();
        let error = Registry::open(&url, Duration::from_secs(1)).unwrap_err();
        assert!(
            error.to_string().contains("expected sqlite:PATH"),
            "{error}"
        );
    }
}
