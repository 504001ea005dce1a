//! The gateways, one file each: its configuration and how it starts.

pub(crate) mod aforo;
mod caddy;
mod envoy;
mod haproxy;
mod nginx;
mod traefik;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::peer::Peer;

/// All of them, in the order of their turns.
pub(crate) fn all() -> [Peer; 7] {
    [
        aforo::LIMITED,
        nginx::PEER,
        haproxy::PEER,
        envoy::PEER,
        traefik::PEER,
        caddy::PEER,
        aforo::UNLIMITED,
    ]
}

/// A program of the folder that `AFORO_BENCH_PEERS` names, or of the path.
fn program(name: &str) -> OsString {
    let folder = std::env::var_os("AFORO_BENCH_PEERS").map(PathBuf::from);
    let there = folder
        .map(|folder| folder.join(name))
        .filter(|path| path.exists());
    there.map_or_else(|| name.into(), PathBuf::into_os_string)
}
