//! `redis-benchmark` with the question that the store asked last.
//!
//! It cannot send a zero byte, and the question is packed: so it calls the same script with the
//! question written into it.

use std::fmt::Write;
use std::process::Command;

use aforo_benches::Failure;
use aforo_servers::Redis;
use redis::Value;

use crate::load::{IN_FLIGHT, Load, QUESTIONS};

/// The words of a call of the script.
pub(crate) struct Benchmark {
    words: Vec<String>,
}

/// The store's script.
const SCRIPT: &str = concat!(
    include_str!("../../../../crates/aforo-store/src/redis/script/usual.lua"),
    include_str!("../../../../crates/aforo-store/src/redis/script/request.lua"),
    include_str!("../../../../crates/aforo-store/src/redis/script/bucket.lua"),
    include_str!("../../../../crates/aforo-store/src/redis/script/windows.lua"),
    include_str!("../../../../crates/aforo-store/src/redis/script/log.lua"),
    include_str!("../../../../crates/aforo-store/src/redis/script/correct.lua"),
    include_str!("../../../../crates/aforo-store/src/redis/script/run.lua"),
);

impl Benchmark {
    /// A benchmark of some other command.
    pub(crate) fn of(words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { words }
    }

    /// Takes the words from the server's own log of what it was asked.
    pub(crate) fn of_last_question(server: &Redis, load: &Load) -> Result<Self, Failure> {
        load.ask()?;
        server.ask(&["CONFIG", "SET", "slowlog-log-slower-than", "0"]);
        load.ask()?;
        server.ask(&["CONFIG", "SET", "slowlog-log-slower-than", "-1"]);
        let mut connection = redis::Client::open(server.url())?.get_connection()?;
        let logged: Vec<Vec<Value>> = redis::cmd("SLOWLOG").arg("GET").query(&mut connection)?;
        let asked = logged
            .into_iter()
            .filter_map(|entry| redis::from_redis_value::<Vec<Vec<u8>>>(entry.get(3)?.clone()).ok())
            .find(|words| {
                words
                    .first()
                    .is_some_and(|word| word.eq_ignore_ascii_case(b"EVALSHA"))
            });
        let mut words = asked.ok_or("the server logged no question")?;
        let packed = words.pop().unwrap_or_default();
        // A longer word would be cut in the log.
        if packed.len() >= 128 {
            return Err("the question is too long for the server's log".into());
        }
        let mut words = words
            .into_iter()
            .map(String::from_utf8)
            .collect::<Result<Vec<_>, _>>()?;
        let mut written = String::new();
        for byte in packed {
            write!(written, "\\{byte:03}")?;
        }
        let script = format!("local ARGV = {{ '{written}' }}\n{SCRIPT}");
        let mut load = redis::cmd("SCRIPT");
        let sha: String = load.arg("LOAD").arg(script).query(&mut connection)?;
        *words.get_mut(1).ok_or("the question names its script")? = sha;
        Ok(Self { words })
    }

    /// The time from one answer to the next.
    pub(crate) fn micros_per_question(&self, server: &Redis) -> Result<f64, Failure> {
        let (clients, count) = (IN_FLIGHT.to_string(), QUESTIONS.to_string());
        let answer = Command::new("redis-benchmark")
            .args(["-p", &server.port().to_string(), "--csv"])
            .args(["-c", &clients, "-P", "1", "-n", &count])
            .args(&self.words)
            .output()?;
        let answer = String::from_utf8(answer.stdout)?;
        let line = answer.lines().last().unwrap_or_default();
        let rate = line.split("\",\"").nth(1);
        let rate = rate.and_then(|rate| rate.parse::<f64>().ok());
        Ok(1e6 / rate.ok_or_else(|| format!("no rate in {answer:?}"))?)
    }
}
