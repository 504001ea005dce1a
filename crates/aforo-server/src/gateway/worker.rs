//! One thread of the gateway: its own listener, its own connections upstream.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use aforo::Limiter;
use aforo::identity::ClientCertificate;
use aforo_policy::{CertificateName, Identity};
use bytes::Bytes;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

use super::activity::Activity;
use super::caps::{Caps, Full, Gauge, Place};
use super::certificate;
use super::connection::serve;
use super::deadline::Deadlines;
use super::exchange::Client;
use super::listener;
use super::open_connections::OpenConnections;
use super::protocol::{Version, of_first_bytes};
use super::socket::{Socket, Wire};
use super::upstream::{Balancer, Target, Upstream};

/// How often connections upstream that nobody needs are looked for.
const SWEEP: Duration = Duration::from_secs(5);

/// What every worker is made from.
#[derive(Clone)]
pub(super) struct Blueprint {
    pub(super) limiter: Limiter,
    pub(super) identity: Arc<Identity>,
    pub(super) targets: Vec<Target>,
    pub(super) timeouts: Timeouts,
    pub(super) forward_canonical: bool,
    pub(super) names_consumers: bool,
    pub(super) caps: Arc<Caps>,
    pub(super) tls: Option<TlsAcceptor>,
    /// What of a client's certificate is the consumer's id.
    pub(super) certificate_name: Option<CertificateName>,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub(super) header: Duration,
    pub(super) idle: Duration,
    pub(super) connect: Duration,
    pub(super) response: Duration,
    pub(super) drain: Duration,
}

/// One thread of the gateway.
pub(super) struct Worker {
    pub(super) limiter: Limiter,
    pub(super) identity: Arc<Identity>,
    pub(super) behind: Behind,
    pub(super) timeouts: Timeouts,
    pub(super) deadlines: Deadlines,
    pub(super) open: OpenConnections,
    /// Whether upstreams are told who the caller is.
    pub(super) names_consumers: bool,
    forward_canonical: bool,
    caps: Arc<Caps>,
    gauge: Arc<Gauge>,
    tls: Option<TlsAcceptor>,
    certificate_name: Option<CertificateName>,
    draining: Cell<bool>,
}

/// What stands behind the gateway.
pub(super) enum Behind {
    /// It answers by itself.
    Echo,
    /// Others answer.
    Upstreams(Balancer),
}

impl Behind {
    fn sweep(&self) {
        if let Self::Upstreams(balancer) = self {
            balancer.sweep();
        }
    }
}

impl Worker {
    pub(super) fn new(blueprint: Blueprint) -> Rc<Self> {
        let connect = blueprint.timeouts.connect;
        let upstreams = blueprint.targets.into_iter();
        let upstreams: Vec<_> = upstreams.map(|to| Upstream::new(to, connect)).collect();
        Rc::new(Self {
            limiter: blueprint.limiter,
            identity: blueprint.identity,
            behind: if upstreams.is_empty() {
                Behind::Echo
            } else {
                Behind::Upstreams(Balancer::new(upstreams))
            },
            timeouts: blueprint.timeouts,
            deadlines: Deadlines::default(),
            open: OpenConnections::default(),
            forward_canonical: blueprint.forward_canonical,
            names_consumers: blueprint.names_consumers,
            caps: blueprint.caps,
            gauge: Arc::default(),
            tls: blueprint.tls,
            certificate_name: blueprint.certificate_name,
            draining: Cell::new(false),
        })
    }

    /// Whether the path goes upstream as the client wrote it.
    pub(super) const fn forwards_raw(&self) -> bool {
        !self.forward_canonical
    }

    /// Whether connections are to end.
    pub(super) fn is_draining(&self) -> bool {
        self.draining.get()
    }

    /// Accepts connections until `stop`, then lets them finish; whether all did in time.
    pub(super) async fn run(
        self: Rc<Self>,
        listener: std::net::TcpListener,
        mut stop: watch::Receiver<bool>,
    ) -> io::Result<bool> {
        let listener = TcpListener::from_std(listener)?;
        let mut sweeps = interval(SWEEP);
        sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                accepted = listener.accept() => self.accepted(accepted).await,
                _ = sweeps.tick() => self.behind.sweep(),
                _ = stop.changed() => break,
            }
        }
        while let Ok(accepted) = timeout(Duration::ZERO, listener.accept()).await {
            self.accepted(accepted).await;
        }
        drop(listener);
        self.draining.set(true);
        self.open.wake();
        let drained = timeout(self.timeouts.drain, self.gauge.none_left()).await;
        Ok(drained.is_ok())
    }

    async fn accepted(self: &Rc<Self>, accepted: io::Result<(TcpStream, SocketAddr)>) {
        match accepted {
            Ok((stream, peer)) => match self.caps.take(peer.ip(), &self.gauge) {
                Ok(place) => {
                    tokio::task::spawn_local(Rc::clone(self).welcome(stream, peer, place));
                }
                Err(full) => self.turn_away(&stream, peer, full),
            },
            Err(error) => {
                warn!(%error, "cannot accept connections");
                // Out of file descriptors: there will be some when others close.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Tells a plain client why it is not served, without waiting for anything.
    fn turn_away(&self, stream: &TcpStream, peer: SocketAddr, full: Full) {
        debug!(%peer, ?full, "a connection is turned away");
        if self.tls.is_none() {
            let _ = stream.try_write(TURNED_AWAY);
        }
    }

    /// Learns what a new connection speaks, then serves it.
    async fn welcome(self: Rc<Self>, stream: TcpStream, peer: SocketAddr, place: Place) {
        let activity = Activity::new();
        let begun = timeout(self.timeouts.header, self.begin(stream)).await;
        let begun = match begun {
            Ok(Ok(begun)) => begun,
            Ok(Err(error)) => return debug!(%peer, %error, "a connection did not begin"),
            Err(_elapsed) => return debug!(%peer, "a connection took too long to begin"),
        };
        let client = Client {
            peer,
            scheme: match begun.wire {
                Wire::Plain(_) => http::uri::Scheme::HTTP,
                Wire::Tls(_) => http::uri::Scheme::HTTPS,
            },
            certificate: begun.certificate,
            activity: Arc::clone(&activity),
            forwarding: RefCell::default(),
        };
        let socket = Socket::new(begun.wire, begun.prefix, begun.version, activity, place);
        serve(self, client, socket, begun.version).await;
    }

    async fn begin(&self, mut stream: TcpStream) -> io::Result<Begun> {
        listener::set_up(&stream)?;
        let Some(tls) = &self.tls else {
            let (version, prefix) = of_first_bytes(&mut stream).await?;
            return Ok(Begun {
                wire: Wire::Plain(TokioIo::new(stream)),
                prefix,
                version,
                certificate: None,
            });
        };
        let stream = tls.accept(stream).await?;
        let session = stream.get_ref().1;
        let version = match session.alpn_protocol() {
            Some(b"h2") => Version::Http2,
            _ => Version::Http1,
        };
        let sent = session.peer_certificates().and_then(<[_]>::first);
        let certificate = sent.zip(self.certificate_name);
        Ok(Begun {
            certificate: certificate.map(|(sent, name)| certificate::of(sent, name)),
            wire: Wire::Tls(Box::new(TokioIo::new(stream))),
            prefix: Bytes::new(),
            version,
        })
    }
}

/// A connection of which is known what it speaks.
struct Begun {
    wire: Wire,
    /// What was read to learn it.
    prefix: Bytes,
    version: Version,
    certificate: Option<ClientCertificate>,
}

/// What a client gets whose connection is one too many.
const TURNED_AWAY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
content-type: application/problem+json\r\n\
content-length: 131\r\n\
cache-control: no-store\r\n\
retry-after: 1\r\n\
connection: close\r\n\
\r\n\
{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"Too many connections are open. Please try again later.\"}";

#[cfg(test)]
mod tests {
    use super::TURNED_AWAY;

    #[test]
    fn the_length_of_the_answer_to_one_connection_too_many_is_right() {
        let text = std::str::from_utf8(TURNED_AWAY).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = format!("content-length: {}\r\n", body.len());
        assert!(head.contains(&length), "{length}");
    }
}
