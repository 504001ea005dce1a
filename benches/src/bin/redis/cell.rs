//! redis-cell: the same arithmetic as a module of the server, one policy a command.

use std::env;

use aforo_benches::Failure;
use aforo_servers::Redis;

use crate::benchmark::Benchmark;

/// Where `scripts/bench` has built the module.
const MODULE: &str = "AFORO_BENCH_REDIS_CELL";

/// A server with the module, and `redis-benchmark` on it; none where the module was not built.
pub(crate) fn server() -> Result<Option<(Redis, Benchmark)>, Failure> {
    let Ok(module) = env::var(MODULE) else {
        return Ok(None);
    };
    let server = Redis::with(&["--loadmodule", &module]);
    let words = ["CL.THROTTLE", "caller", "1000000", "1000000", "1", "1"];
    if !server.ask(&words).starts_with('0') {
        return Err("redis-cell does not allow what it should".into());
    }
    Ok(Some((server, Benchmark::of(&words))))
}
