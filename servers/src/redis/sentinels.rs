//! A master, its replica, and three sentinels that watch them.

use std::fs;

use tempfile::TempDir;

use super::{Redis, answers, ask};
use crate::{Process, free_port, until};

/// A master with a replica, watched by three sentinels.
#[derive(Debug)]
pub struct Sentinels {
    servers: [Redis; 2],
    sentinels: Vec<Sentinel>,
}

#[derive(Debug)]
struct Sentinel {
    port: u16,
    _process: Process,
    _folder: TempDir,
}

const MASTER: &str = "counters";

impl Sentinels {
    /// Starts all of them; the replica is in step when this returns.
    pub fn start() -> Self {
        let master = Redis::start();
        let port = master.port().to_string();
        let replica = Redis::with(&["--replicaof", "127.0.0.1", &port]);
        until("the replica", || {
            replica
                .ask(&["INFO", "replication"])
                .contains("master_link_status:up")
        });
        let sentinels: Vec<_> = (0..3).map(|_| Sentinel::start(&port)).collect();
        let all = Self {
            servers: [master, replica],
            sentinels,
        };
        until("the sentinels", || {
            all.sentinels.iter().all(|sentinel| {
                let known = ask(sentinel.port, &["SENTINEL", "CKQUORUM", MASTER]);
                let master = ask(sentinel.port, &["SENTINEL", "MASTER", MASTER]);
                known.starts_with("OK 3") && field(&master, "num-slaves") == "1"
            })
        });
        all
    }

    /// Their address.
    pub fn url(&self) -> String {
        let ports = self
            .sentinels
            .iter()
            .map(|one| format!("127.0.0.1:{}", one.port));
        format!(
            "redis-sentinel://{}/{MASTER}",
            ports.collect::<Vec<_>>().join(",")
        )
    }

    /// The servers: the first master, then its replica.
    pub fn servers(&self) -> &[Redis; 2] {
        &self.servers
    }

    /// The servers, to kill and restart.
    pub fn servers_mut(&mut self) -> &mut [Redis; 2] {
        &mut self.servers
    }

    /// Makes the replica the master, with the old master still running, and waits for it.
    pub fn fail_over(&self) {
        let before = self.master_port();
        if let Some(sentinel) = self.sentinels.first() {
            ask(sentinel.port, &["SENTINEL", "FAILOVER", MASTER]);
        }
        self.wait_for_master_other_than(before);
    }

    /// The port of the server that the sentinels call the master.
    pub fn master_port(&self) -> u16 {
        let sentinel = self.sentinels.first().expect("three sentinels");
        let address = ask(
            sentinel.port,
            &["SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER],
        );
        let port = address.lines().last().and_then(|port| port.parse().ok());
        port.expect("the sentinels know the master")
    }

    /// Waits until the sentinels name another master, and it says so itself.
    pub fn wait_for_master_other_than(&self, port: u16) {
        until("another master", || {
            let master = self.master_port();
            master != port && ask(master, &["ROLE"]).starts_with("master")
        });
    }
}

impl Sentinel {
    fn start(master_port: &str) -> Self {
        let folder = TempDir::new().expect("a folder for the sentinel");
        let port = free_port();
        let file = folder.path().join("sentinel.conf");
        let text = format!(
            "port {port}\nbind 127.0.0.1\ndir {}\n\
             sentinel monitor {MASTER} 127.0.0.1 {master_port} 2\n\
             sentinel down-after-milliseconds {MASTER} 500\n\
             sentinel failover-timeout {MASTER} 5000\n",
            folder.path().display()
        );
        fs::write(&file, text).expect("the sentinel's file is written");
        let arguments = [file.display().to_string(), "--sentinel".to_owned()];
        let log = folder.path().join("log");
        let process = Process::start("redis-server", &arguments, &log);
        answers(port, &log);
        Self {
            port,
            _process: process,
            _folder: folder,
        }
    }
}

/// A field of an answer that lists names and values in turn.
fn field<'t>(answer: &'t str, name: &str) -> &'t str {
    let mut lines = answer.lines();
    lines
        .find(|line| *line == name)
        .and_then(|_| lines.next())
        .unwrap_or_default()
}
