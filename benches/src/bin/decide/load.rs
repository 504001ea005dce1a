//! Those who ask.

use std::path::Path;
use std::process::Command;

use aforo_benches::Failure;

use crate::server::{Core, Server, command};

/// What a round showed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// Microseconds from one answer to the next.
    pub(crate) micros: f64,
    /// Microseconds of CPU that the server takes for an answer.
    pub(crate) cpu: f64,
}

fn round(
    server: Option<&Server>,
    count: u32,
    ask: impl FnOnce() -> Result<f64, Failure>,
) -> Result<Round, Failure> {
    let spent = || server.map_or(Ok(std::time::Duration::ZERO), Server::cpu);
    let before = spent()?;
    let rate = ask()?;
    let cpu = spent()?.saturating_sub(before);
    Ok(Round {
        micros: 1e6 / rate,
        cpu: cpu.as_secs_f64() * 1e6 / f64::from(count),
    })
}

/// `redis-benchmark` with 50 clients and so many commands in a pipeline.
pub(crate) fn redis(
    server: Option<&Server>,
    port: u16,
    command_name: &str,
    (pipeline, count): (u32, u32),
) -> Result<Round, Failure> {
    round(server, count, || {
        let mut benchmark = command("redis-benchmark", Core::Load);
        benchmark.args(["-p", &port.to_string(), "--csv", "-c", "50"]);
        benchmark.args(["-P", &pipeline.to_string(), "-n", &count.to_string()]);
        let words = ["caller", "1000000", "1000000", "1", "1"];
        let answer = benchmark.arg(command_name).args(words).output()?;
        let answer = String::from_utf8(answer.stdout)?;
        let line = answer.lines().last().unwrap_or_default();
        let rate = line
            .split("\",\"")
            .nth(1)
            .and_then(|rate| rate.parse().ok());
        rate.ok_or_else(|| format!("no rate in {answer:?}").into())
    })
}

/// `h2load` with 8 connections of 32 streams.
pub(crate) fn h2(server: &Server, port: u16, body: &Path, count: u32) -> Result<Round, Failure> {
    round(Some(server), count, || {
        let mut load = command("h2load", Core::Load);
        load.args(["-n", &count.to_string(), "-c", "8", "-m", "32", "-d"])
            .arg(body);
        load.args(["-H", "content-type: application/grpc", "-H", "te: trailers"]);
        load.arg(format!(
            "http://127.0.0.1:{port}/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"
        ));
        rate(load, count)
    })
}

/// `h2load --h1` with 50 connections.
pub(crate) fn http1(server: &Server, url: &str, body: &str, count: u32) -> Result<Round, Failure> {
    let file = std::env::temp_dir().join(format!("aforo-bench-{}.json", std::process::id()));
    std::fs::write(&file, body)?;
    round(Some(server), count, || {
        let mut load = command("h2load", Core::Load);
        load.args(["--h1", "-n", &count.to_string(), "-c", "50", "-d"])
            .arg(&file);
        load.args(["-H", "content-type: application/json"]).arg(url);
        rate(load, count)
    })
}

/// Answers a second, of which all have to be there.
fn rate(mut load: Command, count: u32) -> Result<f64, Failure> {
    let answer = String::from_utf8(load.output()?.stdout)?;
    let all = format!("{count} succeeded, 0 failed");
    if !answer.contains(&all) {
        return Err(format!("not all were answered: {answer}").into());
    }
    let line = answer.lines().find(|line| line.starts_with("finished in"));
    let rate = line.and_then(|line| line.split(", ").nth(1)?.split(' ').next()?.parse().ok());
    rate.ok_or_else(|| format!("no rate in {answer:?}").into())
}
