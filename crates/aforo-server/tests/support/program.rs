//! The real program, on a free port.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{Folder, RawClient};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// What cookies of known devices are signed with.
const DEVICE_SECRET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// The running program; killed when dropped.
pub(crate) struct Program {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
    services: Arc<Mutex<Vec<(String, SocketAddr)>>>,
    following: Option<JoinHandle<()>>,
    _folder: Option<Folder>,
}

/// What a command that ends by itself said.
pub(crate) struct Verdict {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    /// Runs a file with this text; `listen = "127.0.0.1:0"` takes a free port.
    pub(crate) fn with_file(text: &str) -> Self {
        let folder = Folder::new();
        let file = folder.put("aforo.toml", text);
        let mut program = Self::run(&[file.as_os_str()]);
        program._folder = Some(folder);
        program
    }

    /// A gateway before `upstream`; `policies` are lines of the table `[plans.anonymous]`.
    pub(crate) fn before(upstream: SocketAddr, policies: &str) -> Self {
        Self::with_file(&format!(
            "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{upstream}\"]\n\n\
             [plans.anonymous]\npolicies = {policies}\n"
        ))
    }

    /// The same with this hash key, which instances that share a store have in common.
    #[allow(dead_code, reason = "tests of one instance have no use for it")]
    pub(crate) fn sharing(text: &str, hash_key: &str) -> Self {
        let folder = Folder::new();
        let file = folder.put("aforo.toml", text);
        let mut command = command();
        command.env("AFORO_HASH_KEY", hash_key);
        let mut program = Self::started(command, &[file.as_os_str()]);
        program._folder = Some(folder);
        program
    }

    /// `aforo run` with these arguments.
    pub(crate) fn run(arguments: &[impl AsRef<OsStr>]) -> Self {
        Self::started(command(), arguments)
    }

    fn started(mut command: Command, arguments: &[impl AsRef<OsStr>]) -> Self {
        let mut child = command
            .arg("run")
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let services = Arc::default();
        let (listening, following) = follow(&mut child, Arc::clone(&log), Arc::clone(&services));
        match listening.recv_timeout(PATIENCE) {
            Ok(address) => Self {
                child,
                address,
                log,
                services,
                following: Some(following),
                _folder: None,
            },
            Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                panic!("it does not listen: {}", log.lock().unwrap());
            }
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a listener of the decision service is.
    #[allow(dead_code, reason = "not all tests ask it")]
    pub(crate) fn service(&self, name: &str) -> SocketAddr {
        for _ in 0..2000 {
            let services = self.services.lock().unwrap();
            if let Some((_, address)) = services.iter().find(|(known, _)| known == name) {
                return *address;
            }
            drop(services);
            thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not listen for {name}: {}", self.log());
    }

    /// A new connection to a listener of the decision service.
    #[allow(dead_code, reason = "not all tests ask it")]
    pub(crate) fn client_of(&self, name: &str) -> RawClient {
        RawClient::connect(self.service(name))
    }

    /// Runs a file with these variables.
    #[allow(dead_code, reason = "not all tests ask it")]
    pub(crate) fn with_variables(text: &str, variables: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        let file = folder.put("aforo.toml", text);
        let mut command = command();
        command.envs(variables.iter().copied());
        let mut program = Self::started(command, &[file.as_os_str()]);
        program._folder = Some(folder);
        program
    }

    /// A new connection to it.
    pub(crate) fn client(&self) -> RawClient {
        RawClient::connect(self.address)
    }

    /// A new connection from another loopback address.
    pub(crate) fn client_from(&self, local: &str) -> RawClient {
        RawClient::connect_from(local.parse().unwrap(), self.address)
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// SIGTERM.
    pub(crate) fn terminate(&self) {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(killed.success());
    }

    /// Waits for its end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let mut rounds = 0;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            rounds += 1;
            assert!(rounds < 2000, "it does not end: {}", self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends it; everything that it said.
    pub(crate) fn whole_log(mut self) -> String {
        self.terminate();
        self.ended();
        if let Some(following) = self.following.take() {
            following.join().unwrap();
        }
        self.log()
    }

    /// Its memory in bytes.
    pub(crate) fn resident(&self) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
        kilobytes.parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("the program's log:\n{}", self.log());
        }
    }
}

impl Verdict {
    /// Runs a command that ends by itself.
    pub(crate) fn of(arguments: &[impl AsRef<OsStr>]) -> Self {
        let Output {
            status,
            stdout,
            stderr,
        } = command().args(arguments).output().unwrap();
        Self {
            code: status.code().unwrap(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aforo"));
    command.env_remove("AFORO_LOG").env_remove("AFORO_HASH_KEY");
    command.env("AFORO_DEVICE_SECRET", DEVICE_SECRET);
    command.stdin(Stdio::null());
    command
}

/// Keeps the log; gives the address once it listens.
fn follow(
    child: &mut Child,
    log: Arc<Mutex<String>>,
    services: Arc<Mutex<Vec<(String, SocketAddr)>>>,
) -> (Receiver<SocketAddr>, JoinHandle<()>) {
    let (found, listening) = channel();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let following = thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            {
                let mut log = log.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
            if let Some((_, address)) = line.split_once("listening address=") {
                let _ = found.send(address.trim().parse().unwrap());
            }
            if let Some((_, told)) = line.split_once("listening service=\"") {
                let (service, address) = told.split_once("\" address=").unwrap();
                let address = address.trim().parse().unwrap();
                services.lock().unwrap().push((service.to_owned(), address));
                let _ = found.send(address);
            }
        }
    });
    (listening, following)
}
