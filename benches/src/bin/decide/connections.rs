//! What an idle connection takes of the server's memory.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use aforo_benches::Failure;

use crate::server::Server;

/// How many connections there are.
const COUNT: u32 = 2_000;

/// Bytes of resident memory for each of 2,000 connections that have asked and are idle.
pub(crate) fn bytes(server: &Server, port: u16, asked: &[u8]) -> Result<f64, Failure> {
    let before = resident(server)?;
    let mut open = Vec::new();
    for _ in 0..COUNT {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.write_all(asked)?;
        let mut answer = [0; 16];
        if stream.read(&mut answer)? == 0 {
            return Err("a connection was not served".into());
        }
        open.push(stream);
    }
    let more = resident(server)?.saturating_sub(before);
    Ok(more as f64 / f64::from(COUNT))
}

fn resident(server: &Server) -> Result<u64, Failure> {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    let kilobytes: u64 = kilobytes.ok_or("no VmRSS")?.parse()?;
    Ok(kilobytes.saturating_mul(1024))
}
