//! A PostgreSQL of a test's own.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, Weak};

use super::folder::Folder;
use super::process::{Process, free_port};

/// A server on a free port with a database of its own.
pub(crate) struct Postgres {
    port: u16,
    settings: Vec<String>,
    process: Mutex<Process>,
    // After the process, which writes into it until its end.
    folder: Folder,
}

/// Debian's `nobody`: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

impl Postgres {
    /// A server; `settings` are `name=value`.
    pub(crate) fn start(settings: &[&str]) -> Self {
        let folder = Folder::new();
        let port = free_port();
        prepare(folder.path());
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let process = Mutex::new(launch(folder.path(), port, &settings));
        Self {
            port,
            settings,
            process,
            folder,
        }
    }

    /// The server that tests of this process share while one of them runs.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap();
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start(&[]));
            *shared = Arc::downgrade(&server);
            server
        })
    }

    pub(crate) fn url(&self) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable",
            self.port
        )
    }

    /// Sends a signal to the server's first process.
    pub(crate) fn signal(&self, signal: &str) {
        self.process.lock().unwrap().signal(signal);
    }

    /// Sends a signal to all processes of the server.
    pub(crate) fn signal_all(&self, signal: &str) {
        let first = fs::read_to_string(self.folder.path().join("data/postmaster.pid")).unwrap();
        let first = first.lines().next().unwrap().to_owned();
        let line = format!("kill -{signal} {first} $(ps -o pid= --ppid {first})");
        let sent = Command::new("sh").args(["-c", &line]).status().unwrap();
        assert!(sent.success(), "{line}");
    }

    /// Stops it at once, as a crash would.
    pub(crate) fn stop(&self) {
        let mut process = self.process.lock().unwrap();
        process.signal("QUIT");
        process.ended();
    }

    /// Starts it again on its port.
    pub(crate) fn start_again(&self) {
        *self.process.lock().unwrap() = launch(self.folder.path(), self.port, &self.settings);
    }
}

fn launch(folder: &Path, port: u16, settings: &[String]) -> Process {
    let data = folder.join("data");
    let mut command = program("postgres");
    command.arg("-D").arg(&data).args(["-p", &port.to_string()]);
    command.arg("-k").arg(folder);
    let ours = [
        "listen_addresses=127.0.0.1",
        "fsync=off",
        "max_connections=60",
    ];
    for setting in ours.into_iter().chain(settings.iter().map(String::as_str)) {
        command.args(["-c", setting]);
    }
    let mut process = Process::start(as_nobody(folder, &mut command), "QUIT");
    process.listens(SocketAddr::from(([127, 0, 0, 1], port)));
    process
}

fn prepare(folder: &Path) {
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    if is_root(folder) {
        chown(folder, Some(NOBODY), None).unwrap();
        chown(&data, Some(NOBODY), None).unwrap();
    }
    let mut command = program("initdb");
    command.args(["--auth=trust", "--no-sync", "--username=postgres"]);
    command.args(["--encoding=UTF8", "--no-locale", "-D"]);
    command.arg(&data);
    let made = as_nobody(folder, &mut command).output().unwrap();
    assert!(made.status.success(), "initdb: {made:?}");
}

fn is_root(folder: &Path) -> bool {
    let parent = folder.join("root");
    fs::write(&parent, "").is_ok_and(|()| parent.metadata().unwrap().uid() == 0)
}

fn as_nobody<'c>(folder: &Path, command: &'c mut Command) -> &'c mut Command {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .current_dir(folder);
    match is_root(folder) {
        true => command.uid(NOBODY).gid(NOBODY),
        false => command,
    }
}

/// A program of the newest PostgreSQL that Debian's packages installed.
fn program(name: &str) -> Command {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let newest = versions
        .filter_map(|version| version.ok()?.file_name().into_string().ok())
        .filter_map(|version| version.parse::<u32>().ok())
        .max();
    match newest {
        Some(version) => {
            let folder = PathBuf::from(format!("/usr/lib/postgresql/{version}/bin"));
            Command::new(folder.join(name))
        }
        None => Command::new(name),
    }
}
