//! Consumers whose id was verified, and whose plan is known elsewhere.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use aforo::core::Timestamp;
use aforo::decide::Vouched;
use aforo::identity::{ClientCertificate, Found, Lookup, LookupAnswer, LookupError, PresentedKey};
use aforo::{KnownConsumer, Limiter};
use http::Request;

use crate::support::{Bench, START, Seen, built, get, settings, with};

const PROXY: &str = "192.0.2.1";
const SECRET: &str = "a secret of more than thirty-two bytes";

/// `{"alg":"HS256"}`, `{"iss":"joe","sub":"acme","exp":4102444800}`, by OpenSSL with the secret.
const TOKEN: &str = "eyJhbGciOiJIUzI1NiJ9.\
    eyJpc3MiOiJqb2UiLCJzdWIiOiJhY21lIiwiZXhwIjo0MTAyNDQ0ODAwfQ.\
    P8nJObSxXCgrfIHSEltCWpLHs5Wuj07SgTWtPto07Xg";

const PLANS: &str = r#"
    [plans.anonymous]
    policies = ["1000/minute fixed-window"]
    [plans.pro]
    policies = ["3/minute fixed-window"]
    [plans.free]
    policies = ["2/minute fixed-window"]
    [teams.blue]
    policies = ["100/minute fixed-window"]
    [[consumers]]
    id = "of-the-file"
    plan = "pro"
"#;

/// Knows ids, and keys that are ids with `key-` before.
#[derive(Clone, Default)]
struct Ids(Arc<Inner>);

#[derive(Default)]
struct Inner {
    known: Mutex<HashMap<String, Found>>,
    failing: Mutex<bool>,
    asked: AtomicU64,
}

impl Ids {
    fn of(known: &[(&str, Found)]) -> Self {
        let ids = Self::default();
        for (id, found) in known {
            ids.put(id, found.clone());
        }
        ids
    }

    fn put(&self, id: &str, found: Found) {
        self.0.known.lock().unwrap().insert(id.to_owned(), found);
    }

    fn fails(&self, failing: bool) {
        *self.0.failing.lock().unwrap() = failing;
    }

    fn asked(&self) -> u64 {
        self.0.asked.load(Ordering::Relaxed)
    }

    fn answer(&self, id: &str) -> LookupAnswer<'static> {
        self.0.asked.fetch_add(1, Ordering::Relaxed);
        let answer = match *self.0.failing.lock().unwrap() {
            true => Err(LookupError::Unavailable("down".to_owned())),
            false => Ok(self.0.known.lock().unwrap().get(id).cloned()),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl Lookup for Ids {
    fn find<'a>(&'a self, key: &'a PresentedKey) -> LookupAnswer<'a> {
        let key = std::str::from_utf8(key.as_bytes()).unwrap();
        self.answer(key.strip_prefix("key-").unwrap_or("nobody"))
    }

    fn find_by_id<'a>(&'a self, id: &'a str) -> LookupAnswer<'a> {
        self.answer(id)
    }
}

fn pro(id: &str) -> Found {
    Found {
        plan: Some("pro".to_owned()),
        ..Found::new(id)
    }
}

fn with_ids(ids: &Ids, name: &str, more: &str) -> Bench {
    let path = std::env::temp_dir().join(format!("aforo-ids-{}-{name}", std::process::id()));
    std::fs::write(&path, SECRET).unwrap();
    let text = format!(
        "{PLANS}\n[identity]\ndefault_plan = \"free\"\ntrusted_proxies = [\"{PROXY}\"]\n\
         verified_header = \"x-consumer\"\n\
         jwt = {{ secret = {{ file = {path:?} }}, issuer = \"joe\", plan = \"plan\" }}\n{more}"
    );
    built(
        Limiter::builder()
            .settings(settings(&text))
            .lookup(ids.clone()),
    )
}

async fn named(bench: &Bench, id: &str) -> Seen {
    bench.send(PROXY, with(get("/"), "x-consumer", id)).await
}

async fn by_token(bench: &Bench) -> Seen {
    let token = format!("Bearer {TOKEN}");
    bench
        .send("192.0.2.7", with(get("/"), "authorization", &token))
        .await
}

/// The plan that a response shows.
fn plan(seen: &Seen) -> &str {
    let policy = seen.field("x-ratelimit-policy").unwrap();
    policy.split(';').next().unwrap()
}

#[tokio::test]
async fn an_id_finds_its_plan_once_and_an_unknown_one_has_the_default() {
    let ids = Ids::of(&[("acme", pro("acme"))]);
    let bench = with_ids(&ids, "once", "");
    for _ in 0..3 {
        assert_eq!(plan(&named(&bench, "acme").await), "pro");
    }
    assert_eq!(named(&bench, "acme").await.code(), 429);
    assert_eq!(ids.asked(), 1);
    assert_eq!(plan(&named(&bench, "globex").await), "free");
    assert_eq!(plan(&named(&bench, "globex").await), "free");
    assert_eq!(ids.asked(), 2);
    // Remembered for 5 s as unknown, for 30 s as known.
    ids.put("globex", pro("globex"));
    bench.at(4_999);
    assert_eq!(named(&bench, "globex").await.code(), 429);
    bench.at(5_000);
    assert_eq!(plan(&named(&bench, "globex").await), "pro");
    bench.at(29_999);
    named(&bench, "acme").await;
    assert_eq!(ids.asked(), 3);
    bench.at(30_000);
    named(&bench, "acme").await;
    assert_eq!(ids.asked(), 4);
}

#[tokio::test]
async fn a_consumer_of_the_file_is_not_asked_for() {
    let ids = Ids::of(&[]);
    let bench = with_ids(&ids, "file", "");
    assert_eq!(plan(&named(&bench, "of-the-file").await), "pro");
    assert_eq!(ids.asked(), 0);
}

#[tokio::test]
async fn a_token_without_a_plan_finds_its_plan_by_issuer_and_subject() {
    let ids = Ids::of(&[("joe|acme", pro("joe|acme")), ("acme", Found::new("acme"))]);
    let bench = with_ids(&ids, "token", "");
    assert_eq!(plan(&by_token(&bench).await), "pro");
    assert_eq!(plan(&by_token(&bench).await), "pro");
    assert_eq!(ids.asked(), 1);
    // An answer may name the account that is counted.
    let ids = Ids::of(&[("joe|acme", pro("account-7"))]);
    let bench = with_ids(&ids, "account", "");
    assert_eq!(plan(&by_token(&bench).await), "pro");
    named(&bench, "account-7").await;
    ids.put("account-7", pro("account-7"));
    bench.at(5_000);
    assert_eq!(named(&bench, "account-7").await.remaining(), Some(1));
}

#[tokio::test]
async fn a_certificate_finds_its_plan() {
    let ids = Ids::of(&[("acme", pro("acme"))]);
    let bench = with_ids(&ids, "certificate", "");
    let certified = |id: Option<&str>, ends: u64| -> Request<_> {
        let mut request = get("/");
        let certificate = ClientCertificate::new(id, Timestamp::from_seconds(ends));
        request.extensions_mut().insert(certificate);
        request
    };
    let seen = bench
        .send("192.0.2.7", certified(Some("acme"), START + 9))
        .await;
    assert_eq!(plan(&seen), "pro");
    let seen = bench
        .send("192.0.2.7", certified(Some("other"), START + 9))
        .await;
    assert_eq!(plan(&seen), "free");
    let seen = bench.send("192.0.2.7", certified(None, START + 9)).await;
    assert_eq!(plan(&seen), "anonymous");
    bench.at(9_000);
    let seen = bench
        .send("192.0.2.7", certified(Some("acme"), START + 9))
        .await;
    assert_eq!(plan(&seen), "anonymous");
}

#[tokio::test]
async fn a_consumer_that_somebody_vouches_for_finds_its_plan() {
    let ids = Ids::of(&[("acme", pro("acme")), ("globex", pro("account-7"))]);
    let bench = with_ids(&ids, "vouched", "");
    let ask = async |consumer: KnownConsumer| {
        let mut request = with(get("/"), "x-api-key", "key-acme");
        let (consumer, cost) = (Some(consumer), None);
        request.extensions_mut().insert(Vouched { consumer, cost });
        bench.send("192.0.2.7", request).await
    };
    for _ in 0..2 {
        assert_eq!(plan(&ask(KnownConsumer::new("acme")).await), "pro");
    }
    assert_eq!(ids.asked(), 1);
    // Whose plan is said, whom the file knows, and what is no id is not asked for.
    for (consumer, expected) in [
        (KnownConsumer::new("initech").plan("free"), "free"),
        (KnownConsumer::new("of-the-file"), "pro"),
        (KnownConsumer::new("a\nb"), "free"),
    ] {
        assert_eq!(plan(&ask(consumer).await), expected);
    }
    assert_eq!(ids.asked(), 1);
    // It is counted by what the answer calls it, together with what was said of it.
    assert_eq!(
        plan(&ask(KnownConsumer::new("globex").team("blue")).await),
        "pro"
    );
    let named = KnownConsumer::new("account-7").plan("pro");
    assert_eq!(ask(named).await.remaining(), Some(1));
    ids.fails(true);
    assert_eq!(plan(&ask(KnownConsumer::new("hooli")).await), "free");
}

#[tokio::test]
async fn a_consumer_that_the_application_knows_finds_its_plan() {
    let ids = Ids::of(&[("acme", pro("acme"))]);
    let text = format!("{PLANS}\n[identity]\ndefault_plan = \"free\"\n");
    let session = |parts: &http::request::Parts| {
        let user = parts.headers.get("x-user")?.to_str().ok()?;
        Some(KnownConsumer::new(user))
    };
    let limiter = Limiter::builder().settings(settings(&text));
    let bench = built(limiter.identify(session).lookup(ids.clone()));
    for (user, expected) in [("acme", "pro"), ("acme", "pro"), ("globex", "free")] {
        let seen = bench
            .send("192.0.2.7", with(get("/"), "x-user", user))
            .await;
        assert_eq!(plan(&seen), expected);
    }
    assert_eq!(ids.asked(), 2);
    assert_eq!(plan(&bench.send("192.0.2.7", get("/")).await), "anonymous");
}

#[tokio::test]
async fn while_no_answer_comes_an_id_is_still_somebody() {
    let ids = Ids::of(&[("acme", pro("acme"))]);
    let bench = with_ids(&ids, "outage", "");
    named(&bench, "acme").await;
    ids.fails(true);
    bench.at(60_000);
    assert_eq!(plan(&named(&bench, "acme").await), "pro");
    for _ in 0..2 {
        assert_eq!(plan(&named(&bench, "globex").await), "free");
    }
    assert_eq!(named(&bench, "globex").await.code(), 429);
    assert_eq!(plan(&by_token(&bench).await), "free");
    // Ids have failed so often that they are asked for once a second; keys have not.
    for number in 0..9 {
        named(&bench, &format!("id-{number}")).await;
    }
    ids.fails(false);
    let keyed = with(get("/"), "x-api-key", "key-acme");
    assert_eq!(plan(&bench.send("192.0.2.7", keyed).await), "pro");

    let ids = Ids::of(&[]);
    ids.fails(true);
    let deny = "lookup = { on_failure = \"deny\" }\n";
    let bench = with_ids(&ids, "deny", deny);
    assert_eq!(named(&bench, "acme").await.code(), 503);
    assert_eq!(by_token(&bench).await.code(), 503);
}

#[tokio::test]
async fn a_key_that_reads_like_an_id_is_not_its_consumer() {
    let ids = Ids::of(&[("acme", pro("acme"))]);
    let bench = with_ids(&ids, "domains", "");
    assert_eq!(plan(&named(&bench, "acme").await), "pro");
    let keyed = with(get("/"), "x-api-key", "acme");
    let seen = bench.send("192.0.2.7", keyed).await;
    assert_eq!(plan(&seen), "anonymous");
}
