//! The ways to reach a server.

use std::env;
use std::process::Command;

use aforo_servers::Redis;
use aforo_store::RedisStore;
use tempfile::TempDir;

use crate::scene::{caller, fixed, hits, seconds, terms};
use crate::stage::{block_on, remote};

const URL: &str = "AFORO_TEST_TLS_URL";

fn counts(url: String) {
    let store = RedisStore::open(&remote(url)).unwrap();
    let policy = terms("policy", fixed(1, seconds(86_400)));
    assert_eq!(
        block_on(hits(&store, &policy, caller("acme"), 2)),
        [true, false]
    );
}

#[test]
fn a_unix_socket_is_reached() {
    let server = Redis::start();
    counts(format!("unix://{}?db=2", server.socket()));
    assert!(server.ask(&["INFO", "keyspace"]).contains("db2:"));
}

#[test]
fn a_user_and_a_database_are_used() {
    let server = Redis::start();
    // Just what the store needs, and no more.
    let rules = [
        "~test*",
        "+@scripting",
        "+get",
        "+set",
        "+del",
        "+pttl",
        "+pexpire",
        "+time",
    ];
    let connects = ["+select", "+ping", "on", ">p@ss"];
    let words = [
        &["ACL", "SETUSER", "limits", "reset"][..],
        &rules,
        &connects,
    ]
    .concat();
    assert_eq!(server.ask(&words).trim(), "OK");
    counts(format!(
        "valkey://limits:p%40ss@127.0.0.1:{}/3",
        server.port()
    ));
    assert!(server.ask(&["INFO", "keyspace"]).contains("db3:"));
    let wrong = format!("redis://limits:wrong@127.0.0.1:{}/3", server.port());
    let store = RedisStore::open(&remote(wrong)).unwrap();
    let policy = terms("policy", fixed(1, seconds(86_400)));
    let error = block_on(crate::scene::hit(&store, &policy, caller("acme"))).unwrap_err();
    assert!(!error.to_string().contains("wrong@"), "{error}");
}

/// The authorities that are trusted come from the environment, so TLS needs a process of its own.
#[test]
fn tls_is_spoken_and_checked() {
    let folder = TempDir::new().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let port = aforo_servers::free_port().to_string();
    let (certificate, key) = (certificate.display().to_string(), key.display().to_string());
    let files = ["--tls-cert-file", &certificate, "--tls-key-file", &key];
    let settings = [
        &["--tls-port", &port, "--tls-auth-clients", "no"][..],
        &files,
    ]
    .concat();
    let _server = Redis::with(&settings);
    let url = format!("rediss://localhost:{port}");
    let answers = |trusted: &str| {
        Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "modes::over_tls"])
            .env(URL, &url)
            .env("SSL_CERT_FILE", trusted)
            .output()
            .unwrap()
            .status
            .success()
    };
    assert!(answers(&certificate));
    let nobody = folder.path().join("none.pem");
    std::fs::write(&nobody, "").unwrap();
    assert!(!answers(&nobody.display().to_string()));
}

#[test]
#[ignore = "is the other process of the test above"]
fn over_tls() {
    if let Ok(url) = env::var(URL) {
        counts(url);
    }
}
