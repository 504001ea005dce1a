//! A process that listens, ended by its id.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use aforo_benches::{Failure, cpu};
use rustix::process::{Pid, Signal, kill_process};

/// Which core a process runs on, where there are two.
#[derive(Clone, Copy)]
pub(crate) enum Core {
    /// Gateways have one of their own.
    Gateway,
    /// Load and upstream share the other.
    Load,
}

/// A running server. It ends when this is dropped, or when this process dies.
pub(crate) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts it and waits until it accepts connections on `port`.
    pub(crate) fn start(mut command: Command, port: u16) -> Result<Self, Failure> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let mut server = Self { child, port };
        for _ in 0..300 {
            if TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))).is_ok() {
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                return Err(format!("{command:?} ended with {status}").into());
            }
            sleep(Duration::from_millis(50));
        }
        Err(format!("{command:?} does not listen on port {port}").into())
    }

    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its process id.
    #[allow(dead_code, reason = "only some measurements ask")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its CPU time so far.
    pub(crate) fn cpu(&self) -> Result<Duration, Failure> {
        cpu::of_process(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            kill_process(id, Signal::TERM).ok();
        }
        for _ in 0..60 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            sleep(Duration::from_millis(50));
        }
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A command that dies with this process and stays on its core.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, core: Core) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM"]);
    let two = std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= 2);
    if two {
        let core = match core {
            Core::Gateway => "0",
            Core::Load => "1",
        };
        command.args(["taskset", "-c", core]);
    }
    command.arg(program);
    command
}
