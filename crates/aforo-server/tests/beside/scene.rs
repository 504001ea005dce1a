//! An example's own files, on free ports.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use aforo_servers::{Process, free_port, until};

use crate::support::{Folder, Program, RawClient, RawResponse, Upstream};

/// An example that runs: Aforo, an application behind it, and the gateway or program of the example.
pub(crate) struct Scene {
    pub(crate) aforo: Option<Program>,
    pub(crate) upstream: Upstream,
    pub(crate) front: SocketAddr,
    folder: Folder,
    example: PathBuf,
    process: Option<Process>,
}

impl Scene {
    /// Starts the Aforo of an example; its quota is 3 at once, one more after each `refill`.
    pub(crate) fn of(example: &str, refill: &str) -> Self {
        Self::before(example, refill, Upstream::new())
    }

    pub(crate) fn before(example: &str, refill: &str, upstream: Upstream) -> Self {
        let manifest = env!("CARGO_MANIFEST_DIR");
        let example = Path::new(manifest).join("../../examples").join(example);
        let text = std::fs::read_to_string(example.join("aforo.toml")).unwrap();
        let (http, quota) = ("127.0.0.1:8082", "3/minute burst 3");
        assert!(text.contains(http) && text.contains(quota), "{text}");
        let text = text.replace(http, "127.0.0.1:0").replace(quota, refill);
        let front = SocketAddr::from(([127, 0, 0, 1], free_port()));
        Self {
            aforo: Some(Program::with_file(&text)),
            upstream,
            front,
            folder: Folder::new(),
            example,
            process: None,
        }
    }

    /// A file of the example on this scene's ports; where it is.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        let text = std::fs::read_to_string(self.example.join(name)).unwrap();
        let aforo = self.aforo.as_ref().unwrap().service("http").to_string();
        let text = text
            .replace("127.0.0.1:8082", &aforo)
            .replace("127.0.0.1:8080", &self.front.to_string())
            .replace(":8080 {", &format!(":{} {{", self.front.port()))
            .replace("127.0.0.1:3000", &self.upstream.address().to_string());
        self.folder.put(name, &text)
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.file("aforo.toml").parent().unwrap().to_owned()
    }

    /// Starts the program of the example, in the folder of its files.
    pub(crate) fn start(&mut self, program: &str, arguments: &[&str]) {
        let folder = self.folder();
        let log = folder.join("log");
        let mut all = vec![format!("--chdir={}", folder.display()), program.to_owned()];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        self.process = Some(Process::start("env", &all, &log));
        let front = self.front;
        let what = format!("{program}, see {}", log.display());
        until(&what, || std::net::TcpStream::connect(front).is_ok());
    }

    /// Asks until it is denied: what the last one that passed and the denial looked like.
    #[allow(
        clippy::disallowed_methods,
        reason = "real gateways keep real time, and a slow machine takes some of it"
    )]
    pub(crate) fn until_denied(&self, refill: Duration) -> (RawResponse, RawResponse) {
        let begun = SystemTime::now();
        let mut passed = Vec::new();
        loop {
            let response = self.get("");
            if response.status == 429 {
                // The machine may be slow: units flow back meanwhile.
                let back = begun.elapsed().unwrap().as_millis() / refill.as_millis();
                assert!(passed.len() >= 3, "{}", response.head);
                assert!(passed.len() as u128 <= 3 + back, "{}", response.head);
                return (passed.pop().unwrap(), response);
            }
            assert_eq!(response.status, 200, "{}", response.head);
            passed.push(response);
            assert!(passed.len() < 100, "nobody is denied");
        }
    }

    /// Takes what flowed back meanwhile.
    pub(crate) fn empty(&self) {
        let mut asked = 0;
        while self.get("").status != 429 {
            asked += 1;
            assert!(asked < 100, "nobody is denied");
        }
    }

    pub(crate) fn get(&self, fields: &str) -> RawResponse {
        let fields = format!("{fields}connection: close\r\n");
        RawClient::connect(self.front).ask("GET", "/hello", &fields)
    }

    /// Aforo dies.
    pub(crate) fn kill_aforo(&mut self) {
        self.aforo = None;
    }
}

/// A program of the folder that `scripts/test install` fills.
pub(crate) fn installed(name: &str) -> String {
    let path = programs().join("bin").join(name);
    assert!(path.exists(), "{name} is missing: run scripts/test install");
    path.display().to_string()
}

/// The folder that `scripts/test install` fills.
pub(crate) fn programs() -> PathBuf {
    aforo_servers::peers()
}

/// A denial has all that Aforo says.
pub(crate) fn is_whole(denial: &RawResponse) {
    assert_eq!(denial.status, 429, "{}", denial.head);
    let wait: u64 = denial.field("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    assert!(
        denial
            .field("ratelimit")
            .unwrap()
            .starts_with("\"anonymous-")
    );
    assert!(denial.field("ratelimit").unwrap().contains(";r=0"));
    assert!(denial.field("ratelimit-policy").unwrap().contains(";q="));
    assert_eq!(denial.field("x-ratelimit-remaining"), Some("0"));
    let media_type = denial.field("content-type").unwrap();
    assert!(
        media_type.starts_with("application/problem+json"),
        "{media_type}"
    );
    let problem = denial.json();
    assert_eq!(problem["status"], 429);
    assert_eq!(problem["retry_after"], wait);
}

/// Waits as long as a denial says.
pub(crate) fn wait(denial: &RawResponse) {
    let wait: u64 = denial.field("retry-after").unwrap().parse().unwrap();
    sleep(Duration::from_secs(wait));
}

/// Whether a program says its version.
pub(crate) fn runs(program: &str, argument: &str) {
    let ran = Command::new(program).arg(argument).output();
    assert!(
        ran.is_ok(),
        "{program} is missing: run scripts/test install"
    );
}
