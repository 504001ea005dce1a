//! PostgreSQL.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, free_port, until};

/// One PostgreSQL server, a cluster of databases of its own in Debian's words. It keeps what it
/// was told over a restart, but not over a fall of the machine.
#[derive(Debug)]
pub struct Postgres {
    process: Option<Process>,
    settings: Vec<String>,
    port: u16,
    folder: TempDir,
}

/// Says which program is run as whom: PostgreSQL refuses to be root.
const AS_NOBODY: [&str; 3] = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"];

impl Postgres {
    /// A server with the defaults.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// A server with settings of its own: `["max_connections=5"]`.
    pub fn with(settings: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder for the server");
        copy_template(folder.path());
        let mut server = Self {
            process: None,
            settings: settings.iter().map(ToString::to_string).collect(),
            port: free_port(),
            folder,
        };
        server.restart();
        server
    }

    /// The address of its first database.
    pub fn url(&self) -> String {
        let port = self.port;
        format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable")
    }

    /// Runs SQL with `psql` and says what it printed, a line for each row, columns after `|`.
    pub fn ask(&self, sql: &str) -> String {
        let mut command = Command::new(program("psql"));
        command.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, "-d"]);
        let answer = command.arg(self.url()).output().expect("psql runs");
        assert!(answer.status.success(), "{sql}: {answer:?}");
        String::from_utf8_lossy(&answer.stdout).trim().to_owned()
    }

    /// Stops all its processes where they are, with their sockets open.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Lets them go on.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Kills it, and waits for those of its processes that outlive it for a moment. Its port and its
    /// data stay its own.
    pub fn kill(&mut self) {
        self.process = None;
        until("the end of its processes", || is_over(self.folder.path()));
    }

    /// Starts it on the same port with the same data; kills it first when it runs.
    pub fn restart(&mut self) {
        self.kill();
        let folder = self.folder.path();
        let log = folder.join("log");
        let postgres = program("postgres").display().to_string();
        let mut arguments: Vec<String> = Vec::new();
        let root = is_root(folder);
        if root {
            arguments.extend(AS_NOBODY.map(str::to_owned));
            arguments.push(postgres.clone());
        }
        arguments.extend(["-D".to_owned(), data(folder).display().to_string()]);
        arguments.extend(["-p".to_owned(), self.port.to_string()]);
        let own = [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
        ];
        let own = own.iter().map(ToString::to_string);
        for setting in own.chain(self.settings.iter().cloned()) {
            arguments.extend(["-c".to_owned(), setting]);
        }
        let started = if root { "setpriv" } else { &postgres };
        self.process = Some(Process::start(started, &arguments, &log));
        let what = format!("a server on port {}, see {}", self.port, log.display());
        until(&what, || is_ready(self.port));
    }

    fn signal(&self, signal: &str) {
        let first = first_process(self.folder.path()).expect("the server runs");
        // A child may end by itself in between.
        let all = format!(
            "kill -{signal} {first} || exit 1
            for child in $(ps -o pid= --ppid {first}); do kill -{signal} $child; done; true"
        );
        let sent = Command::new("sh").args(["-c", &all]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{all}");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
        let folder = self.folder.path();
        until("the end of its processes", || is_over(folder));
    }
}

fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}

/// The id of the server's first process, which it writes down.
fn first_process(folder: &Path) -> Option<String> {
    let file = fs::read_to_string(data(folder).join("postmaster.pid")).ok()?;
    file.lines().next().map(str::to_owned)
}

/// Whether no process works in the folder any more: a killed server's children end a little
/// later than the server.
fn is_over(folder: &Path) -> bool {
    let data = data(folder).display().to_string();
    let mut processes = fs::read_dir("/proc").expect("processes").flatten();
    !processes.any(|process| {
        let place = fs::read_link(process.path().join("cwd"));
        place.is_ok_and(|place| place.display().to_string() == data)
    })
}

fn is_ready(port: u16) -> bool {
    let port = port.to_string();
    let asked = Command::new(program("pg_isready"))
        .args(["-q", "-h", "127.0.0.1", "-p", &port])
        .status();
    asked.is_ok_and(|status| status.success())
}

/// Whether files that this process makes are root's.
pub(crate) fn is_root(folder: &Path) -> bool {
    fs::metadata(folder).expect("the folder is there").uid() == 0
}

/// Copies a new server's data: making it takes seconds, copying it does not.
fn copy_template(folder: &Path) {
    let template = template();
    let mut copying = Command::new("cp");
    copying.args(["-a", "--reflink=auto"]);
    let copied = copying.arg(&template).arg(data(folder)).status();
    assert!(
        copied.is_ok_and(|status| status.success()),
        "cp {template:?}"
    );
    if is_root(folder) {
        // Whoever owns the data must get there.
        let opened = Command::new("chmod").arg("711").arg(folder).status();
        assert!(opened.is_ok_and(|status| status.success()), "chmod");
    }
}

/// The data of a new server, made by whoever needs it first.
fn template() -> PathBuf {
    let made_by = program("initdb").display().to_string().replace('/', "-");
    let user = fs::metadata("/proc/self").expect("this process").uid();
    let name = format!("aforo-template-{user}{made_by}");
    let template = std::env::temp_dir().join(name);
    if template.is_dir() {
        return template;
    }
    let making = TempDir::new().expect("a folder for the template");
    let new = data(making.path());
    fs::create_dir(&new).expect("a folder for the data");
    let mut command = Command::new(program("initdb"));
    if is_root(making.path()) {
        for owned in [making.path(), &new] {
            let given = Command::new("chown")
                .arg("nobody:nogroup")
                .arg(owned)
                .status();
            assert!(given.is_ok_and(|status| status.success()), "chown");
        }
        command = Command::new("setpriv");
        command.args(AS_NOBODY).arg(program("initdb"));
    }
    command.args(["--auth=trust", "--no-sync", "--username=postgres"]);
    command.args(["--encoding=UTF8", "--no-locale", "-D"]);
    let made = command.arg(&new).output().expect("initdb runs");
    assert!(made.status.success(), "initdb: {made:?}");
    // Another test may have been faster: theirs is as good.
    if fs::rename(&new, &template).is_err() {
        assert!(template.is_dir(), "no template at {template:?}");
    }
    template
}

/// A program of the newest version that Debian's packages installed.
fn program(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let versions = versions.filter_map(|version| version.ok()?.file_name().into_string().ok());
    let newest = versions
        .filter_map(|version| version.parse::<u32>().ok())
        .max();
    match newest {
        Some(version) => PathBuf::from(format!("/usr/lib/postgresql/{version}/bin/{name}")),
        None => PathBuf::from(name),
    }
}
