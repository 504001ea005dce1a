//! Envoy.

use std::net::TcpStream;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::{Process, until};

/// One `envoy`.
#[derive(Debug)]
pub struct Envoy {
    _process: Process,
    port: u16,
    _folder: TempDir,
}

impl Envoy {
    /// Runs a configuration (YAML) whose listener is on this port.
    pub fn start(configuration: &str, port: u16) -> Self {
        let folder = TempDir::new().expect("a folder for the server");
        let file = folder.path().join("envoy.yaml");
        std::fs::write(&file, configuration).expect("its configuration is written");
        let log = folder.path().join("log");
        let file = file.to_string_lossy();
        let arguments = [
            "-c",
            &file,
            "--concurrency",
            "1",
            "--disable-hot-restart",
            "--log-level",
            "warning",
        ];
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let process = Process::start(&program("envoy"), &arguments, &log);
        until("envoy to listen (scripts/test install)", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Self {
            _process: process,
            port,
            _folder: folder,
        }
    }

    /// Where it listens.
    pub fn address(&self) -> std::net::SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }
}

/// A gateway that `scripts/test install` puts into the user's cache, else the one in the PATH.
fn program(name: &str) -> String {
    let installed = peers().join("bin").join(name);
    if installed.exists() {
        return installed.to_string_lossy().into_owned();
    }
    name.to_owned()
}

/// Where `scripts/test install` puts what is no Debian package, in the user's cache.
pub fn peers() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    cache.or(home).unwrap_or_default().join("aforo/peers")
}
