//! A server as a child of the test.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A process that ends when it is dropped.
pub(crate) struct Process {
    child: Child,
    end: &'static str,
}

impl Process {
    /// Starts a program; `end` is the signal that ends it.
    pub(crate) fn start(command: &mut Command, end: &'static str) -> Self {
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
        Self { child, end }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let line = format!("kill -{signal} {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &line]).status().unwrap();
        assert!(sent.success(), "{line}");
    }

    /// Waits for its end.
    pub(crate) fn ended(&mut self) {
        self.child.wait().unwrap();
    }

    /// Waits until it listens.
    pub(crate) fn listens(&mut self, address: SocketAddr) {
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the server at {address} ended with {status}");
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "it never listens"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // One that stands still sees no other signal.
            self.signal("CONT");
            self.signal(self.end);
        }
        let _ = self.child.wait();
    }
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}
