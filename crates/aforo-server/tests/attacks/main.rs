//! Attacks: two lines of a request are changed each time, and no more is admitted than without.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod support;

mod addresses;
mod bodies;
mod credentials;
mod requests;

use support::{Program, RawClient};

/// What every attack finds: five requests a day for a stranger, and five for acme, whose API key is
/// `test`.
const FIVE: usize = 5;

/// A gateway that answers by itself, with these lines in `[identity]`, and more tables.
fn gateway(identity: &str, tables: &str) -> Program {
    Program::with_file(&text("127.0.0.1:0", identity, tables))
}

fn text(listen: &str, identity: &str, tables: &str) -> String {
    format!(
        r#"
[gateway]
listen = "{listen}"
upstream = ["builtin:echo"]

[identity]
{identity}

[plans.anonymous]
policies = ["5/day fixed-window"]

[plans.free]
policies = ["5/day fixed-window"]

[[consumers]]
id = "acme"
plan = "free"
api_key_sha256 = ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]

{tables}
"#
    )
}

/// How many requests are admitted; all others are refused, and none fails otherwise.
fn admitted(client: &mut RawClient, requests: impl IntoIterator<Item = String>) -> usize {
    let (mut admitted, mut sent) = (0, 0);
    for request in requests {
        let method = request.split(' ').next().unwrap().to_owned();
        let status = client.send(&request).response_to(&method).status;
        assert!(
            matches!(status, 200 | 400 | 401 | 413 | 415 | 429),
            "{status} to {request:?}"
        );
        admitted += usize::from(status == 200);
        sent += 1;
    }
    assert!(
        sent >= 2 * FIVE,
        "an attack of {sent} requests proves nothing"
    );
    admitted
}

/// A request for `/` with these field lines.
fn get(fields: &str) -> String {
    format!("GET / HTTP/1.1\r\nhost: api.example\r\n{fields}\r\n")
}
