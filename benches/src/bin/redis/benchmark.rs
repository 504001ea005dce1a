//! `redis-benchmark` with the question that the store asked last.

use std::io::Write;
use std::process::{Command, Stdio};

use aforo_benches::Failure;
use aforo_servers::Redis;
use redis::Value;

use crate::load::{IN_FLIGHT, Load, QUESTIONS};

/// The words of a question; the last one is packed.
pub(crate) struct Benchmark {
    words: Vec<String>,
    packed: Vec<u8>,
}

impl Benchmark {
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
        let words = words
            .into_iter()
            .map(String::from_utf8)
            .collect::<Result<_, _>>()?;
        Ok(Self { words, packed })
    }

    /// The time from one answer to the next.
    pub(crate) fn micros_per_question(&self, server: &Redis) -> Result<f64, Failure> {
        let mut process = Command::new("redis-benchmark")
            .args(["-p", &server.port().to_string(), "--csv", "-x"])
            .args([
                "-c",
                &IN_FLIGHT.to_string(),
                "-P",
                "1",
                "-n",
                &QUESTIONS.to_string(),
            ])
            .args(&self.words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut input = process.stdin.take().ok_or("its input is piped")?;
        input.write_all(&self.packed)?;
        drop(input);
        let answer = String::from_utf8(process.wait_with_output()?.stdout)?;
        let line = answer.lines().last().unwrap_or_default();
        let rate = line
            .split("\",\"")
            .nth(1)
            .and_then(|rate| rate.parse::<f64>().ok());
        Ok(1e6 / rate.ok_or_else(|| format!("no rate in {answer:?}"))?)
    }
}
