//! The decision service beside its peers: Redis clients (`resp`), Envoy's protocol (`grpc`) and HTTP
//! (`http`). Usage: `decide resp`, `decide grpc` or `decide http`.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]

mod connections;
mod grpc;
mod http;
mod load;
mod programs;
mod resp;

// The messages of the program, which is no library.
#[path = "../../../../crates/aforo-server/src/decide/grpc/messages.rs"]
#[allow(dead_code, unreachable_pub)]
mod messages;

// Processes that listen, as the gateway's measurements start them.
#[path = "../gateway/server.rs"]
#[allow(dead_code)]
mod server;

use aforo_benches::Failure;

/// Rounds of each contender.
const ROUNDS: usize = 11;
/// The same, of shorter rounds, where contenders are so near that single rounds hide it.
const MANY_ROUNDS: usize = 41;

fn main() -> Result<(), Failure> {
    let part = std::env::args().nth(1);
    let rows = match part.as_deref() {
        Some("resp") => resp::rows()?,
        Some("grpc") => grpc::rows()?,
        Some("http") => http::rows()?,
        // A peer of its own: what tonic does when it has nothing to do.
        Some("plain") => return grpc::serve_plainly(std::env::args().nth(2)),
        _ => return Err("expected resp, grpc or http".into()),
    };
    rows.iter().for_each(|row| println!("{row}"));
    Ok(())
}
