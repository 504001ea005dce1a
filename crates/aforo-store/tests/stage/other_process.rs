//! The test program once more, as another instance of a limiter on the same store.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Where the other process finds the url of its store, and the namespace.
const URL: &str = "AFORO_TEST_URL";
const NAMESPACE: &str = "AFORO_TEST_NAMESPACE";

/// Another process that answers each line with a number.
pub(crate) struct OtherProcess {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl OtherProcess {
    /// Starts the ignored test of this program by that name, on a store.
    pub(crate) fn start(test: &str, url: &str, namespace: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--ignored", "--nocapture"])
            .env(URL, url)
            .env(NAMESPACE, namespace)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let asks = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            asks,
            answers,
        }
    }

    /// Asks without waiting.
    pub(crate) fn ask(&mut self, line: &str) {
        writeln!(self.asks, "{line}").unwrap();
        self.asks.flush().unwrap();
    }

    /// The next answer.
    pub(crate) fn answer(&mut self) -> usize {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "it ended");
            // The test program writes lines of its own.
            if let Some((_, number)) = line.split_once("answer ") {
                return number.trim().parse().unwrap();
            }
        }
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In the other process: the url and the namespace of its store.
pub(crate) fn told() -> (String, String) {
    (
        std::env::var(URL).expect("only another test starts this one"),
        std::env::var(NAMESPACE).unwrap(),
    )
}

/// In the other process: answers each line until there are no more.
pub(crate) fn answer_lines(mut answer: impl FnMut(&str) -> usize) {
    for line in std::io::stdin().lock().lines() {
        let number = answer(line.unwrap().trim());
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nanswer {number}").unwrap();
        out.flush().unwrap();
    }
}
