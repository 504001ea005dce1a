//! The load: wrk, 64 connections, 64 API keys in turn.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use aforo_benches::Failure;
use aforo_benches::admitted::FIELD;

use crate::peer::{CONSUMERS, folder};
use crate::server::{Core, Server, command};

/// How long one round lasts, in seconds: short, so that rounds that are compared are neighbours.
const SECONDS: u32 = 1;

/// How many connections ask at once.
const CONNECTIONS: u32 = 64;

/// A wrk that knows what to ask.
pub(crate) struct Load {
    script: PathBuf,
}

/// What came back.
struct Answers {
    requests: u64,
    wrong: u64,
}

impl Load {
    /// Writes wrk's script.
    pub(crate) fn new() -> Result<Self, Failure> {
        let script = folder()?.join("load.lua");
        let text = format!(
            r#"local texts, turn = {{}}, 0
function init(args)
  for place = 0, {CONSUMERS} - 1 do
    local fields = {{ ["{FIELD}"] = string.format("key-%d", place) }}
    texts[place] = wrk.format("GET", "/v1/orders", fields)
  end
end
function request()
  turn = (turn + 1) % {CONSUMERS}
  return texts[turn]
end
function done(summary)
  local e = summary.errors
  io.write(string.format("answers %d %d\n", summary.requests,
    e.connect + e.read + e.write + e.status + e.timeout))
end
"#
        );
        fs::write(&script, text)?;
        Ok(Self { script })
    }

    /// A first second that nobody counts.
    pub(crate) fn warm(&self, port: u16) -> Result<(), Failure> {
        self.answers(port, 1).map(|_| ())
    }

    /// One round; the server's CPU time for one request, in microseconds.
    pub(crate) fn run(&self, server: &Server) -> Result<f64, Failure> {
        let before = server.cpu()?;
        let answers = self.answers(server.port(), SECONDS)?;
        let spent = server.cpu()?.saturating_sub(before);
        let busy = spent.as_secs_f64() / Duration::from_secs(SECONDS.into()).as_secs_f64();
        eprintln!(
            "  {} requests, {:.0} % of a core",
            answers.requests,
            busy * 100.0
        );
        Ok(spent.as_secs_f64() * 1e6 / answers.requests as f64)
    }

    /// Runs wrk; every answer has to be right.
    fn answers(&self, port: u16, seconds: u32) -> Result<Answers, Failure> {
        let output = command("wrk", Core::Load)
            .args(["--threads", "1", "--connections", &CONNECTIONS.to_string()])
            .args(["--duration", &format!("{seconds}s"), "--script"])
            .arg(&self.script)
            .arg(format!("http://127.0.0.1:{port}"))
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        match parse(&text) {
            Some(answers) if answers.requests > 0 && answers.wrong == 0 => Ok(answers),
            _ => Err(format!("wrk got wrong answers from port {port}: {text}").into()),
        }
    }
}

/// The line that the script writes at the end.
fn parse(text: &str) -> Option<Answers> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("answers "))?;
    let (requests, wrong) = line.split_once(' ')?;
    Some(Answers {
        requests: requests.parse().ok()?,
        wrong: wrong.parse().ok()?,
    })
}
