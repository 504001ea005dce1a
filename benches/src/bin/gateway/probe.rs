//! A peer's time counts only when its limiter limits, by API key.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use aforo_benches::Failure;
use aforo_benches::admitted::{FIELD, api_key};

use crate::peer::{Allowance, Peer, Site};
use crate::server::Server;

/// How many requests in a row are more than the tight allowance.
const REQUESTS: usize = 30;

/// Starts the peer with a tight allowance: one caller's requests in a row are answered 200 and
/// then denied, while another caller's is answered 200. A peer that is not to limit answers all.
pub(crate) fn limiter_limits(peer: &Peer, site: &Site) -> Result<(), Failure> {
    let server = started(peer, site, Allowance::TIGHT)?;
    let ask = |place| status(server.port(), &api_key(place));
    let statuses = (0..REQUESTS)
        .map(|_| ask(0))
        .collect::<Result<Vec<u16>, Failure>>()?;
    let passed = statuses.iter().filter(|status| **status == 200).count();
    let denied = statuses
        .iter()
        .filter(|status| matches!(status, 429 | 503))
        .count();
    let other = ask(1)?;
    let right = match peer.limits {
        true => passed >= 1 && denied >= 1 && passed.saturating_add(denied) == REQUESTS,
        false => passed == REQUESTS,
    };
    let found =
        format!("{passed} of {REQUESTS} passed, {denied} denied, another caller got {other}");
    eprintln!("{}: {found}", peer.name);
    match right && other == 200 {
        true => Ok(()),
        false => Err(format!("{} does not limit as it should: {found}", peer.name).into()),
    }
}

/// Starts the peer and waits until it forwards: some listen before they know where to.
pub(crate) fn started(peer: &Peer, site: &Site, allowance: Allowance) -> Result<Server, Failure> {
    let server = (peer.start)(site, allowance)?;
    let third = api_key(2);
    for _ in 0..100 {
        if matches!(status(server.port(), &third), Ok(200)) {
            return Ok(server);
        }
        sleep(Duration::from_millis(50));
    }
    Err(format!("{} does not forward", peer.name).into())
}

/// The status of one request.
fn status(port: u16, key: &str) -> Result<u16, Failure> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(
        stream,
        "GET /v1/orders HTTP/1.1\r\nHost: 127.0.0.1\r\n{FIELD}: {key}\r\nConnection: close\r\n\r\n"
    )?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    let status = line.split_whitespace().nth(1);
    Ok(status.ok_or("an answer without a status")?.parse()?)
}
