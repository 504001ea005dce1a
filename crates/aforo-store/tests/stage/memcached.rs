//! A Memcached of a test's own.

use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;
use std::sync::{Arc, Mutex, Weak};

use super::folder::Folder;
use super::process::{Process, free_port};

/// A server on a free port.
pub(crate) struct Memcached {
    port: u16,
    process: Mutex<Process>,
}

impl Memcached {
    pub(crate) fn start() -> Self {
        let port = free_port();
        Self {
            port,
            process: Mutex::new(launch(port)),
        }
    }

    /// The server that tests of this process share while one of them runs.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Memcached>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap();
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start());
            *shared = Arc::downgrade(&server);
            server
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("memcached://127.0.0.1:{}", self.port)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    pub(crate) fn signal(&self, signal: &str) {
        self.process.lock().unwrap().signal(signal);
    }

    /// Kills it, so that nothing is left of what it held, and starts it again on its port.
    pub(crate) fn restart(&self) {
        let mut process = self.process.lock().unwrap();
        process.signal("KILL");
        process.ended();
        *process = launch(self.port);
    }
}

fn launch(port: u16) -> Process {
    let mut command = Command::new("memcached");
    command.args(["-l", "127.0.0.1", "-U", "0", "-m", "64"]);
    command.args(["-p", &port.to_string()]);
    // Root has to say whom to run as.
    if Folder::new().path().metadata().unwrap().uid() == 0 {
        command.args(["-u", "nobody"]);
    }
    let mut process = Process::start(&mut command, "TERM");
    process.listens(SocketAddr::from(([127, 0, 0, 1], port)));
    process
}
