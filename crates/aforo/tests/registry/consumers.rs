//! Consumers, their plans, teams and organisations.

use aforo::registry::{ConsumerFilter, NewConsumer, RegistryError};

use crate::scene::{Scene, at, name, text};

fn ids(consumers: &[aforo::registry::RegisteredConsumer]) -> Vec<&str> {
    consumers.iter().map(|one| one.id.as_str()).collect()
}

#[tokio::test]
async fn a_consumer_is_what_it_was_created_as() {
    for scene in Scene::both() {
        let new = NewConsumer {
            id: text("Åcme 日本"),
            contact: Some(text("ops@acme.example")),
            plan: Some(name("pro")),
            team: Some(name("blue")),
            org: Some(text("Acme Inc.")),
        };
        let created = scene.registry.create(&new, &scene.author).await.unwrap();
        assert_eq!(created.id, "Åcme 日本");
        assert_eq!(created.contact.as_deref(), Some("ops@acme.example"));
        assert_eq!(created.plan.as_deref(), Some("pro"));
        assert_eq!(created.team.as_deref(), Some("blue"));
        assert_eq!(created.org.as_deref(), Some("Acme Inc."));
        assert_eq!(created.created, at(1_000));
        let elsewhere = scene.another().consumer(&new.id).await.unwrap();
        assert_eq!(elsewhere, created);
        let again = scene.registry.create(&new, &scene.author).await;
        assert_eq!(
            again,
            Err(RegistryError::ConsumerExists("Åcme 日本".to_owned()))
        );
        let nobody = scene.registry.consumer(&text("nobody")).await;
        assert_eq!(nobody, Err(RegistryError::NoConsumer("nobody".to_owned())));
    }
}

#[tokio::test]
async fn a_team_belongs_to_one_organisation_and_its_members_do() {
    for scene in Scene::both() {
        let member = |id: &str, org: Option<&str>| NewConsumer {
            team: Some(name("blue")),
            org: org.map(text),
            ..NewConsumer::new(text(id))
        };
        let create = async |new| scene.registry.create(&new, &scene.author).await;
        assert_eq!(create(member("a", None)).await.unwrap().org, None);
        let b = create(member("b", Some("Acme"))).await.unwrap();
        assert_eq!(b.org.as_deref(), Some("Acme"));
        let a = scene.registry.consumer(&text("a")).await.unwrap();
        assert_eq!(a.org.as_deref(), Some("Acme"), "the team is Acme's now");
        let refused = create(member("c", Some("Globex"))).await.unwrap_err();
        assert!(refused.to_string().contains("`Acme`"), "{refused}");
        let c = scene.registry.consumer(&text("c")).await;
        assert!(c.is_err(), "a refused change changes nothing");
    }
}

#[tokio::test]
async fn plans_and_teams_can_be_changed_and_taken_away() {
    for scene in Scene::both() {
        let (registry, author) = (&scene.registry, &scene.author);
        let acme = scene.create("acme").await;
        let pro = name("pro");
        let changed = registry.set_plan(&acme, Some(&pro), author).await.unwrap();
        assert_eq!(changed.plan.as_deref(), Some("pro"));
        let changed = registry.set_plan(&acme, None, author).await.unwrap();
        assert_eq!(changed.plan, None);
        let (blue, org) = (name("blue"), text("Acme"));
        let joined = registry.set_team(&acme, Some(&blue), Some(&org), author);
        let joined = joined.await.unwrap();
        assert_eq!(
            (joined.team.as_deref(), joined.org.as_deref()),
            (Some("blue"), Some("Acme"))
        );
        let left = registry.set_team(&acme, None, None, author).await.unwrap();
        assert_eq!((left.team, left.org), (None, None));
        let nobody = registry.set_plan(&text("nobody"), Some(&pro), author).await;
        assert_eq!(nobody, Err(RegistryError::NoConsumer("nobody".to_owned())));
        let trail = registry.audit(Some(&acme), 10).await.unwrap();
        let told: Vec<_> = trail
            .iter()
            .map(|entry| (entry.action.as_str(), entry.detail.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("set-team", "team blue → none; org Acme → none"),
                ("set-team", "team none → blue; org none → Acme"),
                ("set-plan", "plan pro → none"),
                ("set-plan", "plan none → pro"),
                ("create", ""),
            ]
        );
        assert!(trail.iter().all(|entry| entry.author == "ana"));
        assert_eq!(trail[0].at, at(1_000));
        let whole = registry.audit(None, 2).await.unwrap();
        assert_eq!(whole, trail[..2]);
    }
}

#[tokio::test]
async fn lists_are_filtered_and_come_in_pages() {
    for scene in Scene::both() {
        for id in ["d", "b", "a", "c"] {
            scene.create(id).await;
        }
        let (registry, author) = (&scene.registry, &scene.author);
        let (pro, blue, org) = (name("pro"), name("blue"), text("Acme"));
        for id in ["a", "c"] {
            registry
                .set_plan(&text(id), Some(&pro), author)
                .await
                .unwrap();
        }
        let (c, d) = (text("c"), text("d"));
        let joined = registry.set_team(&c, Some(&blue), Some(&org), author);
        joined.await.unwrap();
        let joined = registry.set_team(&d, None, Some(&org), author);
        joined.await.unwrap();
        let list = async |filter: ConsumerFilter, most| registry.list(&filter, most).await.unwrap();
        let all = ConsumerFilter::default;
        assert_eq!(ids(&list(all(), 10).await), ["a", "b", "c", "d"]);
        assert_eq!(ids(&list(all(), 2).await), ["a", "b"]);
        let after = ConsumerFilter {
            after: Some(text("b")),
            ..all()
        };
        assert_eq!(ids(&list(after, 2).await), ["c", "d"]);
        let plan = ConsumerFilter {
            plan: Some(pro),
            ..all()
        };
        assert_eq!(ids(&list(plan, 10).await), ["a", "c"]);
        let team = ConsumerFilter {
            team: Some(blue),
            ..all()
        };
        assert_eq!(ids(&list(team, 10).await), ["c"]);
        let org = ConsumerFilter {
            org: Some(org),
            ..all()
        };
        assert_eq!(ids(&list(org, 10).await), ["c", "d"]);
    }
}
