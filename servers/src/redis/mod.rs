//! Redis: one server, a cluster, sentinels.

mod cluster;
mod sentinels;

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, free_port, until};

pub use cluster::Cluster;
pub use sentinels::Sentinels;

/// One `redis-server`, without persistence.
#[derive(Debug)]
pub struct Redis {
    process: Option<Process>,
    arguments: Vec<String>,
    port: u16,
    folder: TempDir,
}

impl Redis {
    /// A server with the defaults.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// A server with settings of its own, as on its command line: `["--maxmemory", "1mb"]`.
    pub fn with(settings: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder for the server");
        let port = free_port();
        let socket = folder.path().join("redis.sock");
        let (port_text, socket) = (port.to_string(), socket.to_string_lossy().into_owned());
        let own = [
            "--port",
            &port_text,
            "--bind",
            "127.0.0.1",
            "--unixsocket",
            &socket,
        ];
        let lasting = ["--save", "", "--appendonly", "no", "--dir", "."];
        let arguments = own.iter().chain(&lasting).chain(settings);
        let mut server = Self {
            process: None,
            arguments: arguments.map(|word| (*word).to_owned()).collect(),
            port,
            folder,
        };
        server.restart();
        server
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Its unix socket.
    pub fn socket(&self) -> String {
        self.folder.path().join("redis.sock").display().to_string()
    }

    /// Asks it with `redis-cli`.
    pub fn ask(&self, words: &[&str]) -> String {
        ask(self.port, words)
    }

    /// Stops it where it is, with its sockets open.
    pub fn freeze(&self) {
        self.process().freeze();
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.process().thaw();
    }

    /// Kills it. Its port stays its own.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Starts it on the same port, empty; kills it first when it runs.
    pub fn restart(&mut self) {
        self.kill();
        let log = self.folder.path().join("log");
        let mut arguments = self.arguments.clone();
        if let Some(place) = arguments.iter().position(|word| word == ".")
            && let Some(folder) = arguments.get_mut(place)
        {
            *folder = self.folder.path().display().to_string();
        }
        self.process = Some(Process::start("redis-server", &arguments, &log));
        answers(self.port, &log);
    }

    /// How often a command was called since it started: `evalsha`, `script|load`.
    pub fn calls(&self, command: &str) -> u64 {
        let stats = self.ask(&["INFO", "commandstats"]);
        let name = format!("cmdstat_{command}:calls=");
        let line = stats.lines().find_map(|line| line.strip_prefix(&name));
        let calls = line.and_then(|line| line.split(',').next());
        calls.map_or(0, |calls| calls.parse().expect("a number of calls"))
    }

    /// How many ordinary connections it has, besides the one that asks.
    pub fn clients(&self) -> usize {
        let clients = self.ask(&["CLIENT", "LIST", "TYPE", "NORMAL"]);
        clients.lines().count().saturating_sub(1)
    }

    /// Its keys.
    pub fn keys(&self) -> Vec<String> {
        let keys = self.ask(&["--scan"]);
        keys.lines().map(str::to_owned).collect()
    }

    /// Panics when a key would stay for ever.
    pub fn every_key_ends(&self) {
        let script = "local endless = {} \
             for _, key in ipairs(redis.call('KEYS', '*')) do \
             if redis.call('PTTL', key) == -1 then endless[#endless + 1] = key end end \
             return endless";
        let endless = self.ask(&["EVAL", script, "0"]);
        assert!(endless.trim().is_empty(), "keys without an end: {endless}");
    }

    fn process(&self) -> &Process {
        self.process.as_ref().expect("the server runs")
    }
}

/// Asks the server on a port with `redis-cli`.
fn ask(port: u16, words: &[&str]) -> String {
    let answer = Command::new("redis-cli")
        .args(["-p", &port.to_string()])
        .args(words)
        .output()
        .expect("redis-cli runs");
    String::from_utf8_lossy(&answer.stdout).into_owned()
}

/// Waits until the server on a port answers.
fn answers(port: u16, log: &Path) {
    let what = format!("a server on port {port}, see {}", log.display());
    until(&what, || ask(port, &["PING"]).trim() == "PONG");
}
