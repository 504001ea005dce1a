//! The hash key that instances on one store have in common.

use aforo_servers::{Redis, until};

use crate::scene::{KEY, counts_again, file, statuses};
use crate::support::{Folder, Program, Verdict};

const OTHER: &str = "ffffffffffffffffffffffffffffffff";

#[test]
fn without_a_hash_key_it_does_not_start_and_names_the_remedy() {
    let folder = Folder::new();
    let text = file("\"5/day\"", "url = \"redis://127.0.0.1:1\"");
    let path = folder.put("aforo.toml", &text);
    let verdict = Verdict::of(&["run".as_ref(), path.as_os_str()]);
    assert_eq!(verdict.code, 1, "{}", verdict.stderr);
    for part in ["openssl rand -hex 16", "AFORO_HASH_KEY", "hash_key_file"] {
        assert!(verdict.stderr.contains(part), "{}", verdict.stderr);
    }
    // The file itself is right, and nothing has to be reached to see that.
    let verdict = Verdict::of(&["check".as_ref(), path.as_os_str()]);
    assert!(verdict.code < 2, "{}{}", verdict.stdout, verdict.stderr);
}

#[test]
fn the_hash_key_may_be_in_a_file() {
    let redis = Redis::start();
    let folder = Folder::new();
    let key = folder.put("hash-key", &format!("{KEY}\n"));
    let store = format!(
        "url = \"{}\"\ntimeout = \"2s\"\nhash_key_file = \"{}\"",
        redis.url(),
        key.display()
    );
    let text = file("\"3/day fixed-window\"", &store);
    let one = Program::with_file(&text);
    assert_eq!(statuses(&one, 2), [200, 200]);
    // The same key by the variable counts the same callers.
    let text = text.replace("hash_key_file", "# hash_key_file");
    let two = Program::sharing(&text, KEY);
    assert_eq!(statuses(&two, 2), [200, 429]);
}

fn denying(redis: &Redis) -> String {
    let url = redis.url();
    format!("url = \"{url}\"\ntimeout = \"2s\"\non_store_failure = \"deny\"")
}

#[test]
fn with_another_hash_key_it_does_not_start_and_names_the_remedy() {
    let redis = Redis::start();
    let text = file("\"100/day fixed-window\"", &denying(&redis));
    let one = Program::sharing(&text, KEY);
    assert_eq!(statuses(&one, 1), [200]);
    let folder = Folder::new();
    let key = folder.put("hash-key", OTHER);
    let text = format!("{text}hash_key_file = \"{}\"\n", key.display());
    let path = folder.put("aforo.toml", &text);
    let verdict = Verdict::of(&["run".as_ref(), path.as_os_str()]);
    assert_eq!(verdict.code, 1, "{}", verdict.stderr);
    for part in [
        "\"default\"",
        "another hash key",
        "the same AFORO_HASH_KEY or hash_key_file",
    ] {
        assert!(verdict.stderr.contains(part), "{}", verdict.stderr);
    }
    assert!(!verdict.stderr.contains("listening"), "{}", verdict.stderr);
    assert_eq!(statuses(&one, 1), [200]);
}

#[test]
fn an_instance_whose_hash_key_differs_later_counts_nothing_and_says_so() {
    let mut redis = Redis::start();
    let text = file("\"100/day fixed-window\"", &denying(&redis));
    let one = Program::sharing(&text, KEY);
    assert_eq!(statuses(&one, 1), [200]);
    redis.kill();
    // A store that is down does not hinder the start.
    let two = Program::sharing(&text, OTHER);
    assert_eq!(statuses(&two, 1), [503]);
    redis.restart();
    counts_again(&one);
    // The next probe is due within a second of the one before.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert_eq!(statuses(&two, 3), [503, 503, 503]);
    // The log has a line of a failing store every ten seconds, when a request asks for it.
    until("the log of the other key", || {
        assert_eq!(statuses(&two, 1), [503]);
        two.log().contains("another hash key")
    });
    assert_eq!(statuses(&one, 1), [200]);
}
