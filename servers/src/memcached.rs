//! Memcached.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;

use tempfile::TempDir;

use crate::postgres::is_root;
use crate::{Process, free_port, until};

/// One `memcached`.
#[derive(Debug)]
pub struct Memcached {
    process: Option<Process>,
    port: u16,
    folder: TempDir,
}

impl Memcached {
    /// A server with 64 MB.
    pub fn start() -> Self {
        let mut server = Self {
            process: None,
            port: free_port(),
            folder: TempDir::new().expect("a folder for the server"),
        };
        server.restart();
        server
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("memcached://127.0.0.1:{}", self.port)
    }

    /// Sends commands and says what it answered until they were done.
    pub fn ask(&self, commands: &str) -> String {
        ask(self.port, commands)
    }

    /// A number of its statistics: `curr_items`, `curr_connections`.
    pub fn stat(&self, name: &str) -> u64 {
        let stats = self.ask("stats\r\n");
        let name = format!("STAT {name} ");
        let number = stats.lines().find_map(|line| line.strip_prefix(&name));
        number
            .and_then(|number| number.trim().parse().ok())
            .expect("a statistic of that name")
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
        let port = self.port.to_string();
        let mut arguments = vec!["-l", "127.0.0.1", "-U", "0", "-m", "64", "-p", &port];
        if is_root(self.folder.path()) {
            // It wants to be told whom to run as.
            arguments.extend(["-u", "nobody"]);
        }
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        self.process = Some(Process::start("memcached", &arguments, &log));
        answers(self.port, &log);
    }

    fn process(&self) -> &Process {
        self.process.as_ref().expect("the server runs")
    }
}

fn ask(port: u16, commands: &str) -> String {
    let mut answer = String::new();
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
        return answer;
    };
    let asked = stream.write_all(format!("{commands}quit\r\n").as_bytes());
    if asked.is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
        // What cannot be read was not answered.
        let _ = stream.read_to_string(&mut answer);
    }
    answer
}

fn answers(port: u16, log: &Path) {
    let what = format!("a server on port {port}, see {}", log.display());
    until(&what, || ask(port, "version\r\n").starts_with("VERSION"));
}
