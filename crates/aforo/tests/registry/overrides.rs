//! Negotiated quotas.

use aforo::registry::{NewOverride, RegistryError};

use crate::scene::{Scene, at, text};

fn quota(policy: &str, quota: &str, starts: Option<u64>, ends: Option<u64>) -> NewOverride {
    NewOverride {
        policy: aforo::core::PolicyName::new(policy).unwrap(),
        quota: quota.parse().unwrap(),
        starts: starts.map(at),
        ends: ends.map(at),
        reason: Some(text("launch")),
    }
}

impl Scene {
    /// The quota of a policy that a consumer's override gives it at this second.
    async fn quota_at(&self, consumer: &str, policy: &str, second: u64) -> Vec<String> {
        let known = self.registry.by_id(consumer).await.unwrap().unwrap();
        let holding = known.overrides.into_iter();
        let holding = holding.filter(|one| one.policy == policy && one.holds(at(second)));
        holding.map(|one| one.quota).collect()
    }
}

#[tokio::test]
async fn an_override_has_a_start_an_end_and_a_reason() {
    for scene in Scene::both() {
        let acme = scene.create("acme").await;
        let new = quota(
            "pro-minute",
            "2_000/min burst 400",
            Some(1_100),
            Some(1_200),
        );
        let set = scene.registry.set_override(&acme, &new, &scene.author);
        set.await.unwrap();
        let kept = scene.registry.overrides(&acme).await.unwrap();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].quota, "2000/minute burst 400");
        assert_eq!(kept[0].reason.as_deref(), Some("launch"));
        assert_eq!((kept[0].starts, kept[0].ends), (at(1_100), Some(at(1_200))));
        for (second, holds) in [(1_099, false), (1_100, true), (1_199, true), (1_200, false)] {
            let holding = scene.quota_at("acme", "pro-minute", second).await;
            assert_eq!(holding.len(), usize::from(holds), "{second}");
        }
        scene.clock.set(at(1_200));
        let known = scene.registry.by_id("acme").await.unwrap().unwrap();
        assert_eq!(known.overrides, [], "what is over is not told");
    }
}

#[tokio::test]
async fn a_new_override_takes_the_place_of_others() {
    for scene in Scene::both() {
        let acme = scene.create("acme").await;
        let news = [
            quota("p", "1/day", Some(1_000), None),
            quota("q", "9/day", Some(1_000), None),
            quota("p", "3/day", Some(1_300), Some(1_400)),
            quota("p", "2/day", Some(1_200), Some(1_350)),
        ];
        for new in &news {
            let set = scene.registry.set_override(&acme, new, &scene.author);
            set.await.unwrap();
        }
        let expected: [(u64, &[&str]); 6] = [
            (1_000, &["1/day"]),
            (1_199, &["1/day"]),
            (1_200, &["2/day"]),
            (1_349, &["2/day"]),
            (1_350, &[]),
            (1_399, &[]),
        ];
        for (second, quotas) in expected {
            let holding = scene.quota_at("acme", "p", second).await;
            assert_eq!(holding, quotas, "{second}");
        }
        assert_eq!(scene.quota_at("acme", "q", 1_399).await, ["9/day"]);
    }
}

#[tokio::test]
async fn an_override_can_be_ended_early() {
    for scene in Scene::both() {
        let acme = scene.create("acme").await;
        let (registry, author) = (&scene.registry, &scene.author);
        for new in [
            quota("p", "1/day", None, None),
            quota("p", "2/day", Some(2_000), None),
        ] {
            registry.set_override(&acme, &new, author).await.unwrap();
        }
        scene.clock.set(at(1_500));
        let p = aforo::core::PolicyName::new("p").unwrap();
        assert_eq!(registry.end_override(&acme, &p, author).await, Ok(2));
        for second in [1_500, 2_500] {
            assert_eq!(scene.quota_at("acme", "p", second).await, [""; 0]);
        }
        let none = RegistryError::NoOverride {
            consumer: "acme".to_owned(),
            policy: "p".to_owned(),
        };
        assert_eq!(registry.end_override(&acme, &p, author).await, Err(none));
    }
}

#[tokio::test]
async fn an_override_that_ends_before_it_starts_is_refused() {
    let scene = Scene::sqlite();
    let acme = scene.create("acme").await;
    for (starts, ends) in [(Some(1_100), 1_100), (Some(1_100), 1_000), (None, 999)] {
        let new = quota("p", "1/day", starts, Some(ends));
        let set = scene.registry.set_override(&acme, &new, &scene.author);
        assert_eq!(set.await, Err(RegistryError::EndsBeforeStart));
    }
    assert_eq!(scene.registry.overrides(&acme).await.unwrap(), []);
}
