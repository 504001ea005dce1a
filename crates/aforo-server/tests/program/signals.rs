//! Signs of evasion, through the running gateway into its log.

use std::fmt::Write as _;
use std::time::Duration;

use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};

use crate::support::{Program, Upstream};

/// How often the log has a line with all of these words, once it has one.
#[track_caller]
fn told(program: &Program, words: &[&str]) -> usize {
    for _ in 0..1000 {
        let log = program.log();
        let lines = log.lines();
        let lines = lines.filter(|line| words.iter().all(|word| line.contains(word)));
        let count = lines.count();
        if count > 0 {
            return count;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("not told of {words:?}: {}", program.log());
}

fn gateway(tables: &str) -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
         [plans.anonymous]\npolicies = [\"1000/hour\"]\n\n\
         [plans.free]\npolicies = [\"1/hour fixed-window\"]\n\n{tables}\n"
    ))
}

/// Consumers `c0`, `c1`, …, whose API keys are `key-0`, `key-1`, …; more lines for each.
fn consumers(count: usize, more: &str) -> String {
    let mut text = String::new();
    for number in 0..count {
        let hash = <sha2::Sha256 as sha2::Digest>::digest(format!("key-{number}"));
        let hash = hash.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        let _ = writeln!(
            text,
            "[[consumers]]\nid = \"c{number}\"\nplan = \"free\"\n{more}\n\
             api_key_sha256 = [\"{hash}\"]"
        );
    }
    text
}

fn ask(program: &Program, local: &str, key: usize) -> u16 {
    let mut client = program.client_from(local);
    let fields = format!("x-api-key: key-{key}\r\n");
    client.ask("GET", "/", &fields).status
}

#[test]
fn an_address_that_guesses_keys_is_told_once_and_the_keys_never() {
    let program = gateway(&consumers(1, ""));
    let mut client = program.client_from("127.0.0.7");
    for number in 0..50 {
        let fields = format!("x-api-key: planted-{number}\r\n");
        client.ask("GET", "/", &fields);
    }
    let words = [
        "WARN",
        "many different credentials",
        "address=127.0.0.7",
        "at_least=30",
    ];
    assert_eq!(told(&program, &words), 1);
    assert!(!program.whole_log().contains("planted"));
}

#[test]
fn one_mistyped_key_is_no_sign() {
    let program = gateway(&consumers(1, ""));
    let mut client = program.client_from("127.0.0.7");
    for _ in 0..50 {
        client.ask("GET", "/", "x-api-key: mistyped\r\n");
    }
    // Twice as many as are told of: some fall on the same bit.
    for number in 0..60 {
        let fields = format!("x-api-key: planted-{number}\r\n");
        program.client_from("127.0.0.8").ask("GET", "/", &fields);
    }
    told(&program, &["address=127.0.0.8"]);
    assert!(!program.whole_log().contains("address=127.0.0.7"));
}

#[test]
fn an_address_that_tries_many_accounts_is_told() {
    let upstream = Upstream::serving(|_| async {
        let mut response = Response::new(Full::from("no").boxed());
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        response
    });
    let program = Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n\n\
         [plans.anonymous]\npolicies = [\"1000/hour\"]\n\n\
         [policies.login-account]\nquota = \"5/15min\"\npartition_by = [\"query:account\"]\n\
         count = \"failures\"\n\n\
         [[routes]]\nmatch = \"POST /login\"\npolicies = [\"@login-account\"]\n",
        upstream.address()
    ));
    let mut patient = program.client_from("127.0.0.6");
    let mut sprayer = program.client_from("127.0.0.7");
    for number in 0..20 {
        patient.ask("POST", "/login?account=mine", "content-length: 0\r\n");
        let target = format!("/login?account=a{number}");
        let response = sprayer.ask("POST", &target, "content-length: 0\r\n");
        assert_eq!(response.status, 401);
    }
    let words = [
        "WARN",
        "many different accounts",
        "address=127.0.0.7",
        "login-account",
    ];
    assert_eq!(told(&program, &words), 1);
    assert!(!program.whole_log().contains("address=127.0.0.6"));
}

#[test]
fn a_key_that_comes_from_many_addresses_is_told() {
    let program = gateway(&consumers(2, ""));
    for number in 0..130 {
        ask(&program, &format!("127.0.1.{number}"), 0);
        ask(&program, "127.0.0.1", 1);
    }
    let words = [
        "WARN",
        "from many addresses",
        "consumer=\"c0\"",
        "at_least=100",
    ];
    assert_eq!(told(&program, &words), 1);
    let log = program.whole_log();
    assert!(!log.contains("consumer=\"c1\""));
    assert!(!log.contains("key-0"));
}

#[test]
fn an_address_that_takes_the_next_key_when_one_is_used_up_is_told() {
    let program = gateway(&consumers(7, ""));
    for key in 0..7 {
        assert_eq!(ask(&program, "127.0.0.7", key), 200);
        assert_eq!(ask(&program, "127.0.0.7", key), 429);
    }
    let words = [
        "WARN",
        "many consumers are denied at one address",
        "127.0.0.7",
    ];
    assert_eq!(told(&program, &words), 1);
    assert!(!program.whole_log().contains("organisation"));
}

#[test]
fn an_organisation_that_spreads_its_load_over_many_keys_is_told() {
    let program = gateway(&consumers(7, "org = \"evil\""));
    for key in 0..7 {
        let local = format!("127.0.0.{}", 10 + key);
        assert_eq!(ask(&program, &local, key), 200);
        assert_eq!(ask(&program, &local, key), 429);
    }
    let words = [
        "WARN",
        "one organisation or team",
        "owner=\"evil\"",
        "at_least=5",
    ];
    assert_eq!(told(&program, &words), 1);
    assert!(!program.whole_log().contains("denied at one address"));
}
