//! What is measured: a gateway in front of the upstream.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use aforo_benches::Failure;
use aforo_benches::row::Target;

use crate::server::Server;
use crate::upstream::Upstream;

/// A gateway that can be started.
#[derive(Clone, Copy)]
pub(crate) struct Peer {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What the table calls it.
    pub(crate) what: &'static str,
    /// What Aforo may take of its CPU time.
    pub(crate) target: Target,
    /// Whether it limits at all.
    pub(crate) limits: bool,
    /// Starts it in front of the site's upstream.
    pub(crate) start: fn(&Site, Allowance) -> Result<Server, Failure>,
}

/// What each API key may do, by two policies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// Units a second, by the first policy.
    pub(crate) per_second: u64,
    /// Units at once, by the first policy.
    pub(crate) burst: u64,
}

/// Units a minute by the second policy: never reached.
pub(crate) const PER_MINUTE: u64 = 60_000_000;

/// Units at once by the second policy: never reached.
pub(crate) const MINUTE_BURST: u64 = 1_000_000;

/// How many API keys the load turns around.
pub(crate) const CONSUMERS: usize = 64;

/// Where peers stand: the upstream, and a folder for their files.
pub(crate) struct Site {
    /// What all of them forward to.
    pub(crate) upstream: Upstream,
    folder: PathBuf,
}

impl Allowance {
    /// So few units that some of thirty requests are denied.
    pub(crate) const TIGHT: Self = Self {
        per_second: 1,
        burst: 5,
    };

    /// So many units that nothing is denied.
    pub(crate) const AMPLE: Self = Self {
        per_second: 1_000_000,
        burst: 1_000_000,
    };
}

impl Site {
    /// A site around an upstream.
    pub(crate) fn new(upstream: Upstream) -> Result<Self, Failure> {
        Ok(Self {
            upstream,
            folder: folder()?,
        })
    }

    /// Writes a peer's configuration; where it is.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.folder.join(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// The folder for files that a peer keeps.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// A folder for configuration, beside the measured programs in the target folder.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()?;
    let folder = program
        .parent()
        .ok_or("a program without a folder")?
        .join("bench-gateway");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A port of the loopback interface that is free now.
pub(crate) fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
