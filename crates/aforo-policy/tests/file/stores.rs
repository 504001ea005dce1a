//! Stores.

use std::path::PathBuf;

use aforo_core::Span;
use aforo_policy::{OnStoreFailure, StoreKind};

use super::{Surroundings, finding, help, lines, settings};

fn url(url: &str) -> String {
    format!("[stores.default]\nurl = \"{url}\"\n")
}

#[test]
fn a_shared_store_is_read() {
    let text = "[stores.default]\nurl = \"rediss://u:p@redis.example:6380/2\"\n\
                timeout = \"20ms\"\non_store_failure = \"deny\"\ninstances = 3\n\
                namespace = \"shop\"\nhash_key_file = \"/run/secrets/aforo\"\n";
    let settings = settings(text);
    let store = &settings.stores["default"];
    assert_eq!(store.url.kind(), StoreKind::Redis);
    assert!(store.url.is_shared());
    assert_eq!(store.url.as_str(), "rediss://u:p@redis.example:6380/2");
    assert_eq!(store.timeout, Span::from_millis(20));
    assert_eq!(store.on_store_failure, OnStoreFailure::Deny);
    assert_eq!(store.instances, Some(3));
    assert_eq!(store.namespace, "shop");
    let file = PathBuf::from("/run/secrets/aforo");
    assert_eq!(store.hash_key_file, Some(file));
}

#[test]
fn an_address_may_come_from_variables() {
    let surroundings = Surroundings::default()
        .variable("PGPASS", "hunter2")
        .variable("REDIS_URL", "redis://10.0.0.5");
    let text = "[stores.default]\nurl = \"${REDIS_URL}\"\n\
                [stores.quotas]\nurl = \"postgres://aforo:${PGPASS}@db/aforo\"\n";
    let settings = surroundings.parse(text).unwrap();
    assert_eq!(settings.stores["default"].url.kind(), StoreKind::Redis);
    let quotas = &settings.stores["quotas"].url;
    assert_eq!(quotas.as_str(), "postgres://aforo:hunter2@db/aforo");
    assert!(!format!("{settings:?}").contains("hunter2"));
}

#[test]
fn a_misspelt_scheme_is_told_the_nearest() {
    assert_eq!(finding(&url("redsi://a")), "2:7 there is no store `redsi`");
    assert_eq!(help(&url("redsi://a")), "did you mean `redis`?");
    assert_eq!(help(&url("memroy")), "did you mean `memory`?");
    assert_eq!(help(&url("postgre://a")), "did you mean `postgres`?");
    assert_eq!(finding(&url("etcd://a")), "2:7 there is no such store");
}

#[test]
fn an_address_is_checked_without_connecting() {
    for (address, message) in [
        ("redis://", "the host is missing"),
        ("redis://a:70000", "the port is not 1 to 65535"),
        ("redis-cluster://a:1,", "the host is missing"),
        (
            "redis+unix://redis.sock",
            "the socket's path is not absolute",
        ),
        ("sqlite:", "the path is missing"),
    ] {
        assert_eq!(finding(&url(address)), format!("2:7 {message}"));
    }
}

#[test]
fn a_password_is_never_shown() {
    let surroundings = Surroundings::default()
        .variable("PW", "hunter2")
        .variable("URL", "redis://u:hunter2@h:0");
    for text in [
        url("redid://:hunter2@h"),
        url("redis://:hunter2@h:0"),
        url("redis://:hunter2@"),
        url("redis://:${PW}@h:0"),
        url("${URL}"),
        url("redis+unix://a?pass=hunter2"),
        "stores.default = { url = \"redis://:hunter2@h\", timeuot = \"1s\" }\n".to_owned(),
        "[stores.default]\nurl = \"redis://:hunter2@h\" x\n".to_owned(),
    ] {
        let error = surroundings.parse(&text).unwrap_err();
        let shown = error.to_string() + &format!("{error:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn namespaces_and_hash_key_files() {
    let with = |line: &str| lines(&format!("{}{line}\n", url("redis://a")));
    assert_eq!(
        with("namespace = \"a{b}\""),
        ["3:13 `a{b}` is no namespace"]
    );
    assert_eq!(
        with("hash_key_file = \"a\"\n[stores.b]\nurl = \"sqlite:b\"\nhash_key_file = \"b\""),
        ["6:17 another hash_key_file than that of a store before"]
    );
    let same = "hash_key_file = \"a\"\n[stores.b]\nurl = \"sqlite:b\"\nhash_key_file = \"a\"";
    let same = settings(&format!("{}{same}\n", url("redis://a")));
    let store = &same.stores["b"];
    assert_eq!(store.hash_key_file, Some(PathBuf::from("a")));
}
