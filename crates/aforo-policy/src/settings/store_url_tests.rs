//! Addresses of stores.

use super::*;

fn kind(text: &str) -> Result<StoreKind, String> {
    let url: Result<StoreUrl, _> = text.parse();
    url.map(|url| url.kind()).map_err(|error| error.problem)
}

#[test]
fn every_address_of_the_contract_is_a_store() {
    for (text, expected) in [
        ("memory", StoreKind::Memory),
        ("redis://localhost", StoreKind::Redis),
        ("redis://:pass@10.0.0.1:6379/2", StoreKind::Redis),
        ("rediss://user:pass@redis.example:6380", StoreKind::Redis),
        ("valkey://[2001:db8::1]:6379", StoreKind::Redis),
        ("redis+unix:///run/redis.sock?db=1&pass=x", StoreKind::Redis),
        ("unix:///run/redis.sock", StoreKind::Redis),
        ("redis-cluster://a:7000,b:7001,c", StoreKind::Redis),
        ("redis-sentinel://a:26379,b:26379/main/0", StoreKind::Redis),
        ("memcached://127.0.0.1:11211", StoreKind::Memcached),
        ("sqlite:quotas.db", StoreKind::Sqlite),
        ("sqlite:///var/lib/aforo/quotas.db", StoreKind::Sqlite),
        ("postgres://aforo:p@db/aforo", StoreKind::Postgres),
        (
            "postgresql:///aforo?host=/run/postgresql",
            StoreKind::Postgres,
        ),
    ] {
        assert_eq!(kind(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_without_the_password() {
    for (text, expected) in [
        ("", "there is no such store"),
        ("hunter2", "there is no such store"),
        ("redid://a:hunter2@b", "there is no store `redid`"),
        ("redis:a", "there is no // behind redis:"),
        ("redis://", "the host is missing"),
        ("redis://u:hunter2@", "the host is missing"),
        ("redis://a:0", "the port is not 1 to 65535"),
        ("redis://a:65536", "the port is not 1 to 65535"),
        ("redis://a,b", "there are several hosts"),
        ("redis://[::1", "the IPv6 address is not closed by ]"),
        ("redis://[hunter2]", "what is in [ ] is not an IPv6 address"),
        (
            "redis://u:hun/ter2@a",
            "a `/`, `?` or `#` in a password is not percent-encoded",
        ),
        ("redis-cluster://a,,b", "the host is missing"),
        (
            "redis-sentinel://a:26379",
            "the name of the primary that the Sentinels watch is missing",
        ),
        (
            "redis+unix://run/redis.sock",
            "the socket's path is not absolute",
        ),
        ("sqlite:", "the path is missing"),
        ("postgres:///aforo", "the host is missing"),
    ] {
        assert_eq!(kind(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn an_address_shows_no_password() {
    for (text, shown) in [
        ("memory", "memory"),
        ("redis://a", "redis://a"),
        ("redis://:hunter2@a/1", "redis://:***@a/1"),
        ("redis://u:hun@ter2@a", "redis://u:***@a"),
        (
            "redis+unix:///s?db=1&pass=hunter2&user=u",
            "redis+unix:///s?db=1&pass=***&user=u",
        ),
        (
            "postgres://db/a?password=hunter2",
            "postgres://db/a?password=***",
        ),
    ] {
        let url: StoreUrl = text.parse().unwrap();
        assert_eq!(url.to_string(), shown);
        assert_eq!(format!("{url:?}"), format!("StoreUrl({shown})"));
    }
}

#[test]
fn what_a_driver_says_loses_the_password() {
    for (url, said, shown) in [
        (
            "redis://u:hunter2@a",
            "redis://u:hunter2@a: WRONGPASS hunter2",
            "redis://u:***@a: WRONGPASS ***",
        ),
        ("postgres://a/b?password=hunter2", "no: hunter2", "no: ***"),
        ("redis://a", "refused", "refused"),
    ] {
        let url: StoreUrl = url.parse().unwrap();
        assert_eq!(url.without_password(said), shown);
    }
}

#[test]
fn a_line_of_a_file_keeps_what_is_no_password() {
    for (line, shown) in [
        (
            "url = \"redis://u:hunter2@h\" # see https://a.example",
            "url = \"redis://u:*******@h\" # see https://a.example",
        ),
        (
            "url = \"postgres://aforo:${PGPASS}@db/aforo\"",
            "url = \"postgres://aforo:${PGPASS}@db/aforo\"",
        ),
        ("upstream = [\"http://a:1\"]", "upstream = [\"http://a:1\"]"),
        (
            "url = \"postgres:aforo:hunter2@db/aforo\"",
            "url = \"postgres:aforo:*******@db/aforo\"",
        ),
        ("url = 'redis:/u:hunter2@h'", "url = 'redis:/u:*******@h'"),
        ("url = \"sqlite:a@b\"", "url = \"sqlite:a@b\""),
    ] {
        assert_eq!(blackened_line(line), shown);
    }
}
