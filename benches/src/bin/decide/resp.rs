//! Redis clients: `redis-benchmark` on Aforo, throttlecrab-server, and redis-cell in Redis.

use std::cell::RefCell;

use aforo_benches::Failure;
use aforo_benches::row::{Row, Target};
use aforo_benches::series::{Series, alternate};
use aforo_servers::Redis;

use crate::load::{Round, redis};
use crate::server::Server;
use crate::{MANY_ROUNDS, ROUNDS, connections, programs};

/// Commands of a round, without and with a pipeline.
const ALONE: (u32, u32) = (1, 50_000);
const PIPELINED: (u32, u32) = (32, 400_000);

/// Somebody who is asked.
struct Contender<'s> {
    server: Option<&'s Server>,
    port: u16,
    command: &'static str,
    cpu: RefCell<Series>,
}

impl<'s> Contender<'s> {
    fn new(server: Option<&'s Server>, port: u16, command: &'static str) -> Self {
        let cpu = RefCell::default();
        Self {
            server,
            port,
            command,
            cpu,
        }
    }

    fn micros(&self, load: (u32, u32)) -> Result<f64, Failure> {
        let Round { micros, cpu } = redis(self.server, self.port, self.command, load)?;
        self.cpu.borrow_mut().push(cpu);
        Ok(micros)
    }
}

/// All rows.
pub(crate) fn rows() -> Result<Vec<Row>, Failure> {
    let (aforo, resp, _) = programs::aforo()?;
    let mut rows = vec![connection(&aforo, resp)?];
    if let Some((peer, port)) = programs::throttlecrab()? {
        let alone = "resp: `redis-benchmark -c 50`";
        let pipelined = "resp: `redis-benchmark -c 50 -P 32`";
        for (rounds, load, what, least) in [
            (MANY_ROUNDS, ALONE, alone, 1.0),
            (ROUNDS, PIPELINED, pipelined, 10.0),
        ] {
            let ours = Contender::new(Some(&aforo), resp, "CL.THROTTLE");
            let theirs = Contender::new(Some(&peer), port, "THROTTLE");
            let [our_time, their_time] = alternate(
                rounds,
                [&mut || ours.micros(load), &mut || theirs.micros(load)],
            )?;
            let name = format!("{what}, over throttlecrab-server");
            let target = Target::AtLeast(least);
            rows.push(Row::times_faster(
                &name,
                &our_time,
                &their_time,
                "µs",
                target,
            ));
            let name = format!("{what}, CPU of throttlecrab-server");
            let (ours, theirs) = (ours.cpu.into_inner(), theirs.cpu.into_inner());
            rows.push(Row::share(&name, &ours, &theirs, "µs", Target::AtMost(1.0)));
        }
    }
    if let Ok(module) = std::env::var("AFORO_BENCH_REDIS_CELL") {
        let cell = Redis::with(&["--loadmodule", &module]);
        let ours = Contender::new(Some(&aforo), resp, "CL.THROTTLE");
        let theirs = Contender::new(None, cell.port(), "CL.THROTTLE");
        let [our_time, their_time] = alternate(
            ROUNDS,
            [&mut || ours.micros(PIPELINED), &mut || {
                theirs.micros(PIPELINED)
            }],
        )?;
        let name = "resp: `redis-benchmark -c 50 -P 32`, over redis-cell in Redis";
        let target = Target::AtLeast(3.0);
        rows.push(Row::times_faster(
            name,
            &our_time,
            &their_time,
            "µs",
            target,
        ));
    }
    Ok(rows)
}

fn connection(server: &Server, port: u16) -> Result<Row, Failure> {
    let bytes = connections::bytes(server, port, b"PING\r\n")?;
    Ok(Row {
        what: "resp: memory of an idle connection".to_owned(),
        ours: format!("{bytes:.0} bytes"),
        theirs: String::new(),
        figure: String::new(),
        value: bytes,
        target: Target::Told,
    })
}
