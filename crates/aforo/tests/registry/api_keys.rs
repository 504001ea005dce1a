//! API keys: issued, found, revoked, rotated, expired.

use aforo::core::Span;
use aforo::registry::{ApiKeyId, RegistryError};

use crate::scene::{Scene, at, text};

impl Scene {
    /// Whose a key is.
    async fn owner(&self, raw: &str) -> Option<String> {
        let known = self.registry.by_api_key(raw.as_bytes()).await.unwrap();
        known.map(|known| known.consumer.id)
    }
}

#[tokio::test]
async fn an_issued_key_is_its_consumers_until_it_is_revoked() {
    for scene in Scene::both() {
        let (registry, author) = (&scene.registry, &scene.author);
        let acme = scene.create("acme").await;
        scene.create("globex").await;
        let label = text("ci");
        let issue = registry.issue_key(&acme, Some(&label), None, author);
        let (first, record) = issue.await.unwrap();
        let (second, _) = registry.issue_key(&acme, None, None, author).await.unwrap();
        assert_eq!(record.label.as_deref(), Some("ci"));
        assert_eq!(scene.owner(first.reveal()).await.as_deref(), Some("acme"));
        assert_eq!(scene.owner(second.reveal()).await.as_deref(), Some("acme"));
        let known = scene.another().by_api_key(first.reveal().as_bytes()).await;
        let known = known.unwrap().unwrap();
        assert_eq!(known.api_key.as_deref(), Some(first.id().as_str()));
        for nobodys in ["", "acme", &first.reveal()[..50], &first.id().to_string()] {
            assert_eq!(scene.owner(nobodys).await, None, "{nobodys}");
        }
        scene.clock.set(at(2_000));
        let revoked = registry.revoke_key(&first.id(), author).await.unwrap();
        assert_eq!(revoked.revoked, Some(at(2_000)));
        assert_eq!(scene.owner(first.reveal()).await, None);
        assert_eq!(scene.owner(second.reveal()).await.as_deref(), Some("acme"));
        scene.clock.set(at(3_000));
        let again = registry.revoke_key(&first.id(), author).await.unwrap();
        assert_eq!(again.revoked, Some(at(2_000)), "it stays as it is");
        let keys = registry.keys(&acme).await.unwrap();
        assert_eq!(keys.len(), 2);
        assert_eq!(keys.iter().filter(|key| key.is_live(at(3_000))).count(), 1);
    }
}

#[tokio::test]
async fn an_expired_key_is_nobodys() {
    for scene in Scene::both() {
        let (registry, author) = (&scene.registry, &scene.author);
        let acme = scene.create("acme").await;
        let issue = registry.issue_key(&acme, None, Some(at(1_500)), author);
        let (key, _) = issue.await.unwrap();
        let known = registry.by_api_key(key.reveal().as_bytes()).await.unwrap();
        assert_eq!(known.unwrap().expires, Some(at(1_500)));
        scene.clock.set(at(1_499));
        assert!(scene.owner(key.reveal()).await.is_some());
        scene.clock.set(at(1_500));
        assert_eq!(scene.owner(key.reveal()).await, None);
        let id = key.id();
        let rotate = registry.rotate_key(&id, Span::ZERO, None, author);
        let over = RegistryError::ApiKeyOver(id.to_string());
        assert_eq!(rotate.await, Err(over));
    }
}

#[tokio::test]
async fn a_rotated_key_works_for_the_grace_beside_the_new_one() {
    for scene in Scene::both() {
        let (registry, author) = (&scene.registry, &scene.author);
        let acme = scene.create("acme").await;
        let label = text("ci");
        let issue = registry.issue_key(&acme, Some(&label), None, author);
        let (old, _) = issue.await.unwrap();
        let grace = Span::from_seconds(100);
        let id = old.id();
        let rotated = registry.rotate_key(&id, grace, None, author);
        let rotated = rotated.await.unwrap();
        assert_eq!(rotated.old.expires, Some(at(1_100)));
        assert_eq!(rotated.new.label.as_deref(), Some("ci"));
        let new = rotated.issued.reveal();
        assert!(scene.owner(new).await.is_some());
        assert!(scene.owner(old.reveal()).await.is_some());
        scene.clock.set(at(1_100));
        assert!(scene.owner(new).await.is_some());
        assert_eq!(scene.owner(old.reveal()).await, None);

        let issue = registry.issue_key(&acme, None, Some(at(1_150)), author);
        let (short, _) = issue.await.unwrap();
        let id = short.id();
        let rotated = registry.rotate_key(&id, grace, None, author);
        let end = rotated.await.unwrap().old.expires;
        assert_eq!(end, Some(at(1_150)), "a grace makes no key last longer");
    }
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    for scene in Scene::both() {
        let (registry, author) = (&scene.registry, &scene.author);
        let unknown = text("nobody");
        let issue = registry.issue_key(&unknown, None, None, author);
        let nobody = RegistryError::NoConsumer("nobody".to_owned());
        assert_eq!(issue.await.unwrap_err(), nobody);
        let id = ApiKeyId::of("abcdefghijkm").unwrap();
        let none = RegistryError::NoApiKey("aforo_abcdefghijkm".to_owned());
        assert_eq!(registry.revoke_key(&id, author).await, Err(none.clone()));
        let rotate = registry.rotate_key(&id, Span::ZERO, None, author);
        assert_eq!(rotate.await, Err(none));
        assert_eq!(registry.audit(None, 10).await.unwrap(), []);
    }
}

/// Two rotations of one key at once must not both find it live and cut its grace short apart.
#[tokio::test]
async fn changes_of_one_key_by_two_instances_come_one_after_the_other() {
    for scene in Scene::both() {
        let acme = scene.create("acme").await;
        let other = scene.another();
        let issue = scene.registry.issue_key(&acme, None, None, &scene.author);
        let (key, id) = issue.await.map(|(key, _)| (key.clone(), key.id())).unwrap();
        let (here, there) = tokio::join!(
            scene.registry.revoke_key(&id, &scene.author),
            other.rotate_key(&id, Span::from_seconds(9), None, &scene.author)
        );
        assert!(here.is_ok());
        let keys = scene.registry.keys(&acme).await.unwrap();
        assert_eq!(keys.len(), if there.is_ok() { 2 } else { 1 });
        assert_eq!(scene.owner(key.reveal()).await, None);
        let trail = scene.registry.audit(None, 10).await.unwrap();
        assert_eq!(trail.len(), keys.len() + 2);
    }
}
