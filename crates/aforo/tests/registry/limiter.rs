//! A limiter whose consumers are in a registry.

use aforo::core::{Span, Timestamp};
use aforo::policy::Settings;
use aforo::registry::{IssuedApiKey, NewConsumer, NewOverride};
use aforo::{Admission, Limiter, ProcessEnvironment};

use crate::scene::{Scene, at, name, text};

impl Scene {
    /// A limiter on this registry, by its clock.
    fn limiter(&self, lookup: &str) -> Limiter {
        let file = format!(
            "[identity]\nregistry = \"{}\"\n{lookup}\n\
             [plans.anonymous]\npolicies = [\"100/hour fixed-window\"]\n\
             [plans.pro]\npolicies = [\"1000/hour fixed-window\"]\n",
            self.url()
        );
        let settings = Settings::parse("aforo.toml", &file, &ProcessEnvironment).unwrap();
        let builder = Limiter::builder().settings(settings);
        builder.clock(self.clock.clone()).build().unwrap()
    }

    /// A key of a new consumer with the plan pro.
    async fn key_of(&self, id: &str, expires: Option<Timestamp>) -> IssuedApiKey {
        let new = NewConsumer {
            plan: Some(name("pro")),
            ..NewConsumer::new(text(id))
        };
        self.registry.create(&new, &self.author).await.unwrap();
        let issue = self
            .registry
            .issue_key(&new.id, None, expires, &self.author);
        issue.await.unwrap().0
    }
}

/// The status, and the field that names plan and window, of a request with this key.
async fn answer(limiter: &Limiter, key: &str, field: &str) -> (u16, String) {
    let request = http::Request::get("/").header("x-api-key", key);
    let request = request.body(http_body_util::Empty::<bytes::Bytes>::new());
    let peer = "192.0.2.7:50000".parse().unwrap();
    let (parts, _) = match limiter.admit(request.unwrap(), Some(peer)).await {
        Admission::Answer(response) => response.into_parts(),
        Admission::Pass(_, mut passage) => {
            passage.forwarded();
            let (mut parts, _) = http::Response::new(()).into_parts();
            passage.finish(&mut parts).await;
            (parts, Default::default())
        }
    };
    let value = parts.headers.get(field);
    let value = value.map(|value| value.to_str().unwrap().to_owned());
    (parts.status.as_u16(), value.unwrap_or_default())
}

async fn plan(limiter: &Limiter, key: &IssuedApiKey) -> String {
    answer(limiter, key.reveal(), "x-ratelimit-policy").await.1
}

const PRO: &str = "pro;w=3600";
const ANONYMOUS: &str = "anonymous;w=3600";

#[tokio::test]
async fn a_revoked_key_stops_when_the_cache_forgets_it() {
    for scene in Scene::both() {
        let limiter = scene.limiter("");
        let key = scene.key_of("acme", None).await;
        assert_eq!(plan(&limiter, &key).await, PRO);
        let id = key.id();
        scene.registry.revoke_key(&id, &scene.author).await.unwrap();
        scene.clock.advance(Span::from_millis(29_999));
        assert_eq!(plan(&limiter, &key).await, PRO, "it is remembered for 30 s");
        scene.clock.advance(Span::from_millis(1));
        assert_eq!(plan(&limiter, &key).await, ANONYMOUS);
        let answer = answer(&limiter, "aforo_abcdefghijkm_nothing", "x-ratelimit-policy");
        assert_eq!(answer.await.1, ANONYMOUS);
    }
}

#[tokio::test]
async fn the_cache_can_be_shorter_and_a_new_key_may_not_work_at_once() {
    let scene = Scene::sqlite();
    let limiter = scene.limiter("lookup = { cache = \"2s\", cache_unknown = \"1s\" }");
    let key = scene.key_of("acme", None).await;
    assert_eq!(plan(&limiter, &key).await, PRO);
    let id = key.id();
    let rotate = scene
        .registry
        .rotate_key(&id, Span::ZERO, None, &scene.author);
    let new = rotate.await.unwrap().issued;
    assert_eq!(plan(&limiter, &new).await, PRO);
    scene.clock.advance(Span::from_millis(2_000));
    assert_eq!(plan(&limiter, &key).await, ANONYMOUS);
    assert_eq!(plan(&limiter, &new).await, PRO);
}

#[tokio::test]
async fn an_expired_key_stops_at_once_though_it_is_remembered() {
    for scene in Scene::both() {
        let limiter = scene.limiter("");
        let key = scene.key_of("acme", Some(at(1_010))).await;
        assert_eq!(plan(&limiter, &key).await, PRO);
        scene.clock.set(at(1_009));
        assert_eq!(plan(&limiter, &key).await, PRO);
        scene.clock.set(at(1_010));
        assert_eq!(plan(&limiter, &key).await, ANONYMOUS);
    }
}

#[tokio::test]
async fn an_override_that_is_known_starts_and_ends_by_itself() {
    for scene in Scene::both() {
        let limiter = scene.limiter("");
        let key = scene.key_of("acme", None).await;
        let new = NewOverride {
            policy: aforo::core::PolicyName::new("pro-hour").unwrap(),
            quota: "5000/hour fixed-window".parse().unwrap(),
            starts: Some(at(1_010)),
            ends: Some(at(1_020)),
            reason: None,
        };
        let acme = text("acme");
        let set = scene.registry.set_override(&acme, &new, &scene.author);
        set.await.unwrap();
        for (second, capacity) in [
            (1_009, "1000"),
            (1_010, "5000"),
            (1_019, "5000"),
            (1_020, "1000"),
        ] {
            scene.clock.set(at(second));
            let answer = answer(&limiter, key.reveal(), "x-ratelimit-limit").await;
            assert_eq!(answer.1, capacity, "{second}");
        }
    }
}

#[tokio::test]
async fn consumers_that_are_remembered_stay_known_while_the_registry_is_down() {
    let mut scene = Scene::postgres();
    let known = scene.key_of("acme", None).await;
    let unseen = scene.key_of("globex", None).await;
    let limiter = scene.limiter("");
    let strict = scene.limiter("lookup = { on_failure = \"deny\" }");
    assert_eq!(plan(&limiter, &known).await, PRO);
    assert_eq!(plan(&strict, &known).await, PRO);
    scene.server().kill();
    scene.clock.advance(Span::from_seconds(60));
    assert_eq!(plan(&limiter, &known).await, PRO);
    assert_eq!(plan(&limiter, &unseen).await, ANONYMOUS);
    assert_eq!(plan(&strict, &known).await, PRO);
    let denied = answer(&strict, unseen.reveal(), "retry-after").await;
    assert_eq!(denied.0, 503);
    scene.server().restart();
    scene.clock.advance(Span::from_seconds(2));
    assert_eq!(plan(&strict, &unseen).await, PRO);
}

#[tokio::test]
async fn a_reload_keeps_what_is_remembered_unless_the_registry_is_another() {
    let (scene, other) = (Scene::sqlite(), Scene::sqlite());
    let limiter = scene.limiter("");
    let key = scene.key_of("acme", None).await;
    assert_eq!(plan(&limiter, &key).await, PRO);
    let id = key.id();
    scene.registry.revoke_key(&id, &scene.author).await.unwrap();
    let reload = |scene: &Scene| {
        let file = format!(
            "[identity]\nregistry = \"{}\"\n\
             [plans.anonymous]\npolicies = [\"100/hour fixed-window\"]\n\
             [plans.pro]\npolicies = [\"1000/hour fixed-window\"]\n",
            scene.url()
        );
        let settings = Settings::parse("aforo.toml", &file, &ProcessEnvironment).unwrap();
        limiter.reload(settings).unwrap();
    };
    reload(&scene);
    assert_eq!(plan(&limiter, &key).await, PRO, "still remembered");
    reload(&other);
    assert_eq!(
        plan(&limiter, &key).await,
        ANONYMOUS,
        "the other one has no such key"
    );
}
