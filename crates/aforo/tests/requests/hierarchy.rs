//! Organisation, team, consumer and API key: charged together, and each denies by itself.

use aforo::Limiter;
use aforo::identity::{Found, Lookup, LookupAnswer, PresentedKey};

use crate::support::{Bench, built, get, settings, with};

/// Keys are `ORG.TEAM.CONSUMER.KEY`; the key is the consumer's.
struct Names;

impl Lookup for Names {
    fn find<'a>(&'a self, key: &'a PresentedKey) -> LookupAnswer<'a> {
        let names: Vec<&str> = std::str::from_utf8(key.as_bytes())
            .unwrap()
            .split('.')
            .collect();
        if names.len() != 4 {
            return Box::pin(std::future::ready(Ok(None)));
        }
        let found = Found {
            plan: Some("pro".to_owned()),
            org: Some(names[0].to_owned()),
            team: Some(names[1].to_owned()),
            key: Some(names[3].to_owned()),
            ..Found::new(names[2])
        };
        Box::pin(std::future::ready(Ok(Some(found))))
    }
}

/// Units an hour of the organisation, the team, and the consumer.
fn bench(org: u64, team: u64, consumer: u64) -> Bench {
    let text = format!(
        "[plans.anonymous]\npolicies = [\"1/hour\"]\n\
         [plans.pro]\npolicies = [\"{consumer}/hour fixed-window\"]\n\
         [teams.blue]\npolicies = [\"{team}/hour fixed-window\"]\n\
         [teams.red]\npolicies = [\"{team}/hour fixed-window\"]\n\
         [policies.org-hour]\nquota = \"{org}/hour fixed-window\"\npartition_by = [\"org\"]\n\
         [[groups]]\nmatch = \"/{{*all}}\"\npolicies = [\"@org-hour\"]\n"
    );
    built(Limiter::builder().settings(settings(&text)).lookup(Names))
}

/// The status, and which policies were violated.
async fn ask(bench: &Bench, key: &str) -> (u16, Vec<String>) {
    let seen = bench
        .send("192.0.2.1", with(get("/"), "x-api-key", key))
        .await;
    if seen.code() != 429 {
        return (seen.code(), Vec::new());
    }
    let violated = seen.problem()["violated-policies"].clone();
    let names = violated.as_array().unwrap().iter();
    let name = |one: &serde_json::Value| match one.as_str() {
        Some(name) => name.to_owned(),
        None => one["policy"]
            .as_str()
            .or(one["name"].as_str())
            .unwrap()
            .to_owned(),
    };
    (429, names.map(name).collect())
}

async fn statuses(bench: &Bench, keys: &[&str]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for key in keys {
        statuses.push(ask(bench, key).await.0);
    }
    statuses
}

#[tokio::test]
async fn an_organisation_denies_by_itself_and_other_organisations_do_not() {
    let bench = bench(3, 100, 100);
    let keys = [
        "o.blue.a.1",
        "o.red.b.1",
        "o.blue.c.1",
        "o.red.d.1",
        "p.red.e.1",
    ];
    assert_eq!(statuses(&bench, &keys).await, [200, 200, 200, 429, 200]);
    assert_eq!(ask(&bench, "o.blue.a.1").await.1, ["org-hour"]);
}

#[tokio::test]
async fn a_team_denies_by_itself_and_other_teams_do_not() {
    let bench = bench(100, 2, 100);
    let keys = ["o.blue.a.1", "o.blue.b.1", "o.blue.c.1", "o.red.d.1"];
    assert_eq!(statuses(&bench, &keys).await, [200, 200, 429, 200]);
    assert_eq!(ask(&bench, "o.blue.a.1").await.1, ["team-blue-hour"]);
}

#[tokio::test]
async fn a_consumer_denies_by_itself_whichever_of_its_keys_it_shows() {
    let bench = bench(100, 100, 2);
    let keys = ["o.blue.a.1", "o.blue.a.2", "o.blue.a.3", "o.blue.b.1"];
    assert_eq!(statuses(&bench, &keys).await, [200, 200, 429, 200]);
    assert_eq!(ask(&bench, "o.blue.a.4").await.1, ["pro-hour"]);
}

#[tokio::test]
async fn an_api_key_denies_by_itself_and_a_made_up_one_is_none() {
    let text = "[plans.anonymous]\npolicies = [\"1/hour fixed-window\"]\n\
         [plans.pro]\npolicies = [\"5/hour fixed-window\"]\n\
         [teams.blue]\npolicies = [\"100/hour\"]\n\
         [[groups]]\nmatch = \"/{*all}\"\n\
         policies = [{ name = \"key-hour\", quota = \"2/hour fixed-window\", \
         partition_by = [\"consumer\", \"header:x-api-key\"], when_missing = \"skip\" }]\n";
    let bench = built(Limiter::builder().settings(settings(text)).lookup(Names));
    let keys = ["o.blue.a.1"; 3];
    assert_eq!(statuses(&bench, &keys).await, [200, 200, 429]);
    assert_eq!(ask(&bench, "o.blue.a.1").await.1, ["key-hour"]);
    // Another key of the same consumer, then a third one until the consumer's own end.
    let keys = ["o.blue.a.2", "o.blue.a.2", "o.blue.a.3", "o.blue.a.3"];
    assert_eq!(statuses(&bench, &keys).await, [200, 200, 200, 429]);
    assert_eq!(ask(&bench, "o.blue.a.3").await.1, ["pro-hour"]);
    // Keys of nobody are one anonymous caller, however many there are.
    assert_eq!(statuses(&bench, &["x1", "x2", "x3"]).await, [200, 429, 429]);
}

#[tokio::test]
async fn what_one_denies_takes_nothing_from_the_others() {
    let bench = bench(4, 3, 1);
    // The consumer is denied twice; neither its team nor its organisation pays for that.
    let keys = ["o.blue.a.1", "o.blue.a.1", "o.blue.a.1"];
    assert_eq!(statuses(&bench, &keys).await, [200, 429, 429]);
    let keys = ["o.blue.b.1", "o.blue.c.1", "o.blue.d.1"];
    assert_eq!(statuses(&bench, &keys).await, [200, 200, 429]);
    // Nor does the organisation pay for what its team denied.
    let keys = ["o.red.e.1", "o.red.f.1"];
    assert_eq!(statuses(&bench, &keys).await, [200, 429]);
    let denied = ask(&bench, "o.blue.a.1").await.1;
    assert_eq!(denied.len(), 3, "{denied:?}");
}
