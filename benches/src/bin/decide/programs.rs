//! The programs that are measured.

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;

use aforo_benches::Failure;

use crate::server::{Core, Server, command};

/// Aforo with both listeners; their ports.
pub(crate) fn aforo() -> Result<(Server, u16, u16), Failure> {
    let (resp, grpc) = (free_port()?, free_port()?);
    let file = env::temp_dir().join(format!("aforo-bench-{resp}.toml"));
    let text = format!(
        "[decide]\nresp = \"127.0.0.1:{resp}\"\ngrpc = \"127.0.0.1:{grpc}\"\n\
         [[descriptors]]\ndomain = \"bench\"\nentries = [{{ key = \"remote_address\" }}]\n\
         policies = [{{ name = \"address\", quota = \"1000000000/hour\" }}]\n\
         [[descriptors]]\ndomain = \"bench\"\nentries = [{{ key = \"plan\", value = \"pro\" }}, {{ key = \"user\" }}]\n\
         policies = [{{ name = \"user\", quota = \"1000000000/minute burst 1000000000\" }}]\n"
    );
    std::fs::File::create(&file)?.write_all(text.as_bytes())?;
    let mut aforo = command(beside("aforo")?, Core::Gateway);
    aforo.args(["--log", "error", "run"]).arg(file);
    Ok((Server::start(aforo, resp)?, resp, grpc))
}

/// Aforo for HTTP clients; its port.
pub(crate) fn aforo_http() -> Result<(Server, u16), Failure> {
    let http = free_port()?;
    let file = env::temp_dir().join(format!("aforo-bench-{http}.toml"));
    let text = format!(
        "[decide]\nhttp = \"127.0.0.1:{http}\"\n\
         [policies.exports]\nquota = \"1000000/second burst 1000000\"\n"
    );
    std::fs::File::create(&file)?.write_all(text.as_bytes())?;
    let mut aforo = command(beside("aforo")?, Core::Gateway);
    aforo.args(["--log", "error", "run"]).arg(file);
    Ok((Server::start(aforo, http)?, http))
}

/// throttlecrab-server for Redis clients, where `scripts/bench` has built it.
pub(crate) fn throttlecrab() -> Result<Option<(Server, u16)>, Failure> {
    serving("redis")
}

/// throttlecrab-server for HTTP clients.
pub(crate) fn throttlecrab_http() -> Result<Option<(Server, u16)>, Failure> {
    serving("http")
}

fn serving(transport: &str) -> Result<Option<(Server, u16)>, Failure> {
    let folder = env::var_os("AFORO_BENCH_PEERS").map(PathBuf::from);
    let program = folder.map(|folder| folder.join("throttlecrab-server"));
    let Some(program) = program.filter(|path| path.exists()) else {
        return Ok(None);
    };
    let port = free_port()?;
    let mut peer = command(program, Core::Gateway);
    peer.arg(format!("--{transport}"));
    peer.args([format!("--{transport}-host"), "127.0.0.1".to_owned()]);
    peer.args([format!("--{transport}-port"), port.to_string()]);
    peer.args(["--store", "adaptive", "--log-level", "error"]);
    Ok(Some((Server::start(peer, port)?, port)))
}

/// tonic with nothing to do.
pub(crate) fn plain() -> Result<(Server, u16), Failure> {
    let port = free_port()?;
    let mut plain = command(env::current_exe()?, Core::Gateway);
    plain.args(["plain", &port.to_string()]);
    Ok((Server::start(plain, port)?, port))
}

/// A program that was built with this one.
fn beside(name: &str) -> Result<OsString, Failure> {
    let folder = env::current_exe()?;
    let folder = folder.parent().ok_or("this program is in no folder")?;
    Ok(folder.join(name).into_os_string())
}

pub(crate) fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
