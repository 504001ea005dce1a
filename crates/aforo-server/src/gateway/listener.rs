//! Listening: one socket per worker on the same address, so that the kernel spreads connections
//! and no worker waits for another.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};
use tokio::net::TcpStream;

/// Connections that wait to be accepted, per worker.
const BACKLOG: i32 = 4096;
/// A peer that is silent for so long is asked whether it is still there, so that tunnels of
/// vanished peers do not stay open.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// `count` sockets that listen on `address`; with port 0 all on the same free one.
pub(crate) fn bind(address: SocketAddr, count: usize) -> io::Result<Vec<TcpListener>> {
    // Sharing the port also lets a second process take half of the traffic: this notices one.
    let probe = socket(address)?;
    probe.bind(&address.into())?;
    drop(probe);

    let first = listen(address)?;
    let address = first.local_addr()?;
    let mut listeners = vec![first];
    for _ in 1..count.max(1) {
        listeners.push(listen(address)?);
    }
    Ok(listeners)
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket(address)?;
    socket.set_reuse_port(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

fn socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    if address.is_ipv6() {
        // `[::]` takes IPv4 too, whatever the machine's default is.
        socket.set_only_v6(false)?;
    }
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Sets a client's connection up: small writes go out at once, dead peers are noticed.
pub(crate) fn set_up(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keep_alive = TcpKeepalive::new().with_time(KEEP_ALIVE);
    SockRef::from(stream).set_tcp_keepalive(&keep_alive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workers_listen_on_one_port_and_nobody_else_may() {
        let listeners = bind("127.0.0.1:0".parse().unwrap(), 3).unwrap();
        let addresses: Vec<_> = listeners.iter().map(|l| l.local_addr().unwrap()).collect();
        assert_eq!(addresses, [addresses[0]; 3]);
        let taken = bind(addresses[0], 1).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
    }
}
