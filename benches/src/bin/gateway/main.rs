//! The gateway beside its peers: CPU time for a proxied request.
//!
//! All stand in front of the same upstream and get the same load in turn. `gateway` prints table
//! rows, `gateway NAME...` measures only the named peers.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]
#![allow(clippy::print_stderr, reason = "progress goes to standard error")]

mod load;
mod peer;
mod peers;
mod probe;
mod server;
mod upstream;

use aforo_benches::Failure;
use aforo_benches::row::{Row, Target};
use aforo_benches::series::Series;

use load::Load;
use peer::{Allowance, Peer, Site};
use server::Server;

/// How many rounds each peer has.
const ROUNDS: usize = 21;

/// A peer that stands and waits, with what was measured.
struct Standing {
    peer: Peer,
    server: Server,
    micros: Series,
}

fn main() -> Result<(), Failure> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let site = Site::new(upstream::start()?)?;
    let mut standing = Vec::new();
    for peer in peers::all() {
        let named = names.is_empty() || names.iter().any(|name| name == peer.name);
        if named {
            probe::limiter_limits(&peer, &site)?;
            let server = probe::started(&peer, &site, Allowance::AMPLE)?;
            standing.push(Standing {
                peer,
                server,
                micros: Series::default(),
            });
        }
    }
    let load = Load::new()?;
    for standing in &standing {
        load.warm(standing.server.port())?;
    }
    for round in 0..ROUNDS {
        for standing in &mut standing {
            let micros = load.run(&standing.server)?;
            eprintln!("round {round}: {} {micros:.2} µs", standing.peer.name);
            standing.micros.push(micros);
        }
    }
    rows(&standing).iter().for_each(|row| println!("{row}"));
    Ok(())
}

/// Aforo's row beside each peer's, and its limiter's share.
fn rows(standing: &[Standing]) -> Vec<Row> {
    let of = |name: &str| standing.iter().find(|standing| standing.peer.name == name);
    let Some(ours) = of(peers::aforo::LIMITED.name) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for Standing { peer, micros, .. } in standing {
        if peer.name == peers::aforo::UNLIMITED.name {
            rows.push(limiter_share(&ours.micros, micros));
        } else if peer.name != ours.peer.name {
            let what = format!("gateway: CPU for a request, beside {}", peer.what);
            rows.push(Row::share(&what, &ours.micros, micros, "µs", peer.target));
        }
    }
    rows
}

/// Which part of the CPU time with the limiter is the limiter's.
fn limiter_share(on: &Series, off: &Series) -> Row {
    let share = |of_off: f64| (1.0 - of_off) * 100.0;
    let ratio = off.over(on);
    Row {
        what: "gateway: the limiter's part of the CPU, on versus off".to_owned(),
        ours: format!("{:.1} µs on", on.median()),
        theirs: format!("{:.1} µs off", off.median()),
        figure: format!(
            "{:.1} % ({:.1}–{:.1})",
            share(ratio.median),
            share(ratio.most),
            share(ratio.least)
        ),
        value: share(ratio.median),
        target: Target::AtMost(8.0),
    }
}
