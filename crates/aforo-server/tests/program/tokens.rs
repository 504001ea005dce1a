//! Tokens and looked-up API keys through the running gateway, over raw sockets.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::support::{Folder, Program};

/// HS256 under the secret below, `{"iss":"joe","sub":"acme","exp":4102444800}`, made with openssl.
const HEADER: &str = "eyJhbGciOiJIUzI1NiJ9";
const CLAIMS: &str = "eyJpc3MiOiJqb2UiLCJzdWIiOiJhY21lIiwiZXhwIjo0MTAyNDQ0ODAwfQ";
const SIGNATURE: &str = "P8nJObSxXCgrfIHSEltCWpLHs5Wuj07SgTWtPto07Xg";
const SECRET: &str = "a secret of more than thirty-two bytes";
/// `{"alg":"none"}`, `{"alg":"RS256"}`, and the claims with another subject.
const NONE: &str = "eyJhbGciOiJub25lIn0";
const RS256: &str = "eyJhbGciOiJSUzI1NiJ9";
const ROOT: &str = "eyJpc3MiOiJqb2UiLCJzdWIiOiJyb290IiwiZXhwIjo0MTAyNDQ0ODAwfQ";

fn gateway(identity: &str) -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
         [identity]\ndefault_plan = \"free\"\n{identity}\n\n\
         [plans.anonymous]\npolicies = [\"3/hour fixed-window\"]\n\
         [plans.free]\npolicies = [\"2/hour fixed-window\"]\n"
    ))
}

#[test]
fn rl_15_forged_tokens_share_their_address_and_spend_nobody_elses_quota() {
    let folder = Folder::new();
    let secret = folder.put("secret", SECRET);
    let jwt = format!("jwt = {{ secret = {{ file = {secret:?} }}, issuer = \"joe\" }}");
    let program = gateway(&jwt);
    let mut attacker = program.client_from("127.0.0.2");
    let forged = [
        format!("{NONE}.{CLAIMS}."),
        format!("{NONE}.{CLAIMS}.{SIGNATURE}"),
        format!("{HEADER}.{CLAIMS}."),
        format!("{HEADER}.{ROOT}.{SIGNATURE}"),
        format!("{RS256}.{CLAIMS}.{SIGNATURE}"),
        format!("{HEADER}.{CLAIMS}.{SIGNATURE}x"),
    ];
    let statuses = forged.map(|token| {
        let fields = format!("authorization: Bearer {token}\r\n");
        attacker.ask("GET", "/", &fields).status
    });
    assert_eq!(statuses, [200, 200, 200, 429, 429, 429]);
    let good = format!("authorization: bEARER  {HEADER}.{CLAIMS}.{SIGNATURE}\r\n");
    let statuses = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
        .map(|local| program.client_from(local).ask("GET", "/", &good).status);
    assert_eq!(statuses, [200, 200, 429]);
    let log = program.whole_log();
    assert!(!log.contains(SECRET));
    assert!(!log.contains(SIGNATURE));
}

#[test]
fn rl_18_a_rotated_key_beside_a_good_token_picks_no_bucket() {
    let folder = Folder::new();
    let secret = folder.put("secret", SECRET);
    let jwt = format!("jwt = {{ secret = {{ file = {secret:?} }}, issuer = \"joe\" }}");
    let program = gateway(&jwt);
    let statuses = [1, 2, 3, 4].map(|number| {
        let fields = format!(
            "x-api-key: rotated-{number}\r\nauthorization: Bearer {HEADER}.{CLAIMS}.{SIGNATURE}\r\n"
        );
        let mut client = program.client_from(&format!("127.0.0.{number}"));
        client.ask("GET", "/", &fields).status
    });
    assert_eq!(statuses, [200, 200, 429, 429]);
}

/// An endpoint that says of every key that it is acme's.
fn endpoint() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut asked = Vec::new();
            let mut some = [0; 1024];
            while !asked.ends_with(b"\"}") {
                match stream.read(&mut some) {
                    Ok(read @ 1..) => asked.extend_from_slice(&some[..read]),
                    _ => break,
                }
            }
            let body = "{\"consumer\":\"acme\"}";
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/keys")
}

#[test]
fn a_looked_up_consumer_is_counted_by_its_id_whatever_its_keys() {
    let program = gateway(&format!("lookup = {{ url = {:?} }}", endpoint()));
    let statuses = [1, 2, 3].map(|number| {
        let mut client = program.client_from(&format!("127.0.0.{number}"));
        let fields = format!("x-api-key: planted-secret-{number}\r\n");
        client.ask("GET", "/", &fields).status
    });
    assert_eq!(statuses, [200, 200, 429]);
    assert!(!program.whole_log().contains("planted-secret"));
}
