//! A process that ends with the one that started it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server's process.
#[derive(Debug)]
pub struct Process {
    keeper: Child,
    id: u32,
}

/// Starts a program, tells its id, and ends it when its own input ends, which is when the process
/// that holds the other end drops it or dies.
const KEEPER: &str = r#"log=$1; shift
"$@" >"$log" 2>&1 </dev/null &
echo $!
cat >/dev/null
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null"#;

impl Process {
    /// Starts a program with its arguments; what it prints goes into `log`.
    pub fn start(program: &str, arguments: &[String], log: &Path) -> Self {
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER, "keeper"])
            .arg(log)
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let output = keeper.stdout.take().expect("its output is piped");
        let mut line = String::new();
        BufReader::new(output)
            .read_line(&mut line)
            .expect("it tells the id");
        let id = line.trim().parse().expect("the id is a number");
        Self { keeper, id }
    }

    /// Stops it where it is, with its sockets open.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.id.to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill {signal}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // What cannot be waited for is gone.
        let _ = self.keeper.wait();
    }
}
