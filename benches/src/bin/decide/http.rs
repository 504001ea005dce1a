//! HTTP clients: `h2load --h1` on Aforo's `/v1/decide` and on throttlecrab-server's `/throttle`.

use std::cell::RefCell;

use aforo_benches::Failure;
use aforo_benches::row::{Row, Target};
use aforo_benches::series::{Series, alternate};

use crate::load::{Round, http1};
use crate::server::Server;
use crate::{MANY_ROUNDS, connections, programs};

/// Requests of a round.
const COUNT: u32 = 30_000;

const OURS: &str = r#"{"policy":"exports","partition":"caller:1"}"#;
const THEIRS: &str =
    r#"{"key":"caller:1","max_burst":1000000,"count_per_period":1000000,"period":1,"quantity":1}"#;

/// All rows.
pub(crate) fn rows() -> Result<Vec<Row>, Failure> {
    let (aforo, port) = programs::aforo_http()?;
    let mut rows = Vec::new();
    let looks = format!(
        "POST /v1/peek HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{OURS}",
        OURS.len()
    );
    for (what, asked) in [
        (
            "http: memory of an idle connection that asked",
            looks.as_str(),
        ),
        (
            "http: the same after `/healthz`",
            "GET /healthz HTTP/1.1\r\n\r\n",
        ),
    ] {
        let of_connection = connections::bytes(&aforo, port, asked.as_bytes())?;
        rows.push(Row {
            what: what.to_owned(),
            ours: format!("{of_connection:.0} bytes"),
            theirs: String::new(),
            figure: String::new(),
            value: of_connection,
            target: Target::Told,
        });
    }
    let Some((peer, their_port)) = programs::throttlecrab_http()? else {
        return Ok(rows);
    };
    let (our_cpu, their_cpu) = (RefCell::<Series>::default(), RefCell::<Series>::default());
    let ask = |server: &Server, url: String, body: &str, cpu: &RefCell<Series>| {
        let Round { micros, cpu: spent } = http1(server, &url, body, COUNT)?;
        cpu.borrow_mut().push(spent);
        Ok(micros)
    };
    let (our_url, their_url) = (
        format!("http://127.0.0.1:{port}/v1/decide"),
        format!("http://127.0.0.1:{their_port}/throttle"),
    );
    let [ours, theirs] = alternate(
        MANY_ROUNDS,
        [
            &mut || ask(&aforo, our_url.clone(), OURS, &our_cpu),
            &mut || ask(&peer, their_url.clone(), THEIRS, &their_cpu),
        ],
    )?;
    let what = "http: `/v1/decide`, 50 connections, over throttlecrab-server";
    rows.push(Row::times_faster(
        what,
        &ours,
        &theirs,
        "µs",
        Target::AtLeast(1.2),
    ));
    rows.push(Row::share(
        "http: CPU of a decision, of throttlecrab-server",
        &our_cpu.into_inner(),
        &their_cpu.into_inner(),
        "µs",
        Target::Told,
    ));
    Ok(rows)
}
