//! One thread of the decision service: a socket of every listener.

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use aforo::Limiter;
use aforo_policy::Identity;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

use super::Service;
use super::grpc;
use super::http;
use super::pulse::{Doing, Pulse, Pulses};
use super::resp;
use super::seats::{Seat, Seats};
use super::token::Token;
use crate::gateway;

/// How long open questions may take when the service stops.
const DRAIN: Duration = Duration::from_secs(5);

/// What every worker is made from.
#[derive(Clone)]
pub(super) struct Blueprint {
    pub(super) limiter: Limiter,
    pub(super) identity: Arc<Identity>,
    /// The receipts that HTTP clients were given.
    pub(super) receipts: Arc<http::Receipts>,
    /// The names that a Host field may say.
    pub(super) hosts: Arc<[String]>,
    /// Whether clients show a certificate.
    pub(super) guarded_by_certificates: bool,
    pub(super) token: Option<Token>,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) idle_timeout: Duration,
    pub(super) request_timeout: Duration,
}

/// A worker's sockets.
#[derive(Default)]
pub(super) struct Sockets(Vec<(Service, StdListener, Arc<Seats>)>);

impl Sockets {
    pub(super) fn push(&mut self, service: Service, listener: StdListener, seats: Arc<Seats>) {
        self.0.push((service, listener, seats));
    }
}

/// One thread of the decision service.
pub(super) struct Worker {
    tls: Option<TlsAcceptor>,
    pulses: Pulses,
    resp: Rc<resp::Desk>,
    grpc: Rc<grpc::Desk>,
    http: Rc<http::Desk>,
}

impl Worker {
    pub(super) fn new(blueprint: Blueprint) -> Rc<Self> {
        Rc::new(Self {
            pulses: Pulses::new(blueprint.idle_timeout, blueprint.request_timeout),
            grpc: Rc::new(grpc::Desk::new(&blueprint)),
            http: Rc::new(http::Desk::new(&blueprint)),
            tls: blueprint.tls,
            resp: Rc::new(resp::Desk::new(blueprint.limiter, blueprint.token)),
        })
    }

    /// Accepts connections until `stop`, then lets open questions be answered; whether all were.
    pub(super) async fn run(
        self: Rc<Self>,
        sockets: Sockets,
        mut stop: watch::Receiver<bool>,
    ) -> io::Result<bool> {
        let mut accepting = Vec::new();
        for (service, listener, seats) in sockets.0 {
            let listener = TcpListener::from_std(listener)?;
            let here = Rc::clone(&self);
            let accept = here.accept(service, listener, seats);
            accepting.push(tokio::task::spawn_local(accept));
        }
        let mut ticks = interval(self.pulses.tick());
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    self.pulses.look();
                    self.grpc.look().await;
                }
                _ = stop.changed() => break,
            }
        }
        accepting.iter().for_each(tokio::task::JoinHandle::abort);
        self.grpc.end();
        Ok(self.drain().await)
    }

    async fn drain(&self) -> bool {
        let drained = tokio::time::timeout(DRAIN, async {
            while self.pulses.end_idle() > 0 {
                sleep(Duration::from_millis(10)).await;
            }
        });
        drained.await.is_ok()
    }

    async fn accept(self: Rc<Self>, service: Service, listener: TcpListener, seats: Arc<Seats>) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => match seats.take() {
                    Some(seat) => self.welcome(service, stream, peer, seat),
                    None => debug!(%peer, "a connection is turned away: there are too many"),
                },
                Err(error) => {
                    warn!(%error, "cannot accept connections");
                    // Out of file descriptors: there will be some when others close.
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    fn welcome(self: &Rc<Self>, service: Service, stream: TcpStream, peer: SocketAddr, seat: Seat) {
        let pulse = self.pulses.pulse();
        let (here, its_pulse) = (Rc::clone(self), Rc::clone(&pulse));
        let task = tokio::task::spawn_local(async move {
            let _until_the_end = seat;
            if let Err(error) = here.serve(service, stream, peer, its_pulse).await {
                debug!(%error, service = service.name(), "a connection broke off");
            }
        });
        self.pulses.remember(pulse, task.abort_handle());
    }

    async fn serve(
        &self,
        service: Service,
        stream: TcpStream,
        peer: SocketAddr,
        pulse: Rc<Pulse>,
    ) -> io::Result<()> {
        gateway::set_up(&stream)?;
        match &self.tls {
            None => {
                if service == Service::Grpc {
                    // Its first byte has to come in time.
                    stream.peek(&mut [0]).await?;
                }
                self.speak(service, stream, peer, pulse).await
            }
            Some(tls) => {
                let stream = tls.accept(stream).await?;
                self.speak(service, stream, peer, pulse).await
            }
        }
    }

    async fn speak<S>(
        &self,
        service: Service,
        stream: S,
        peer: SocketAddr,
        pulse: Rc<Pulse>,
    ) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + 'static,
    {
        pulse.set(Doing::Idle);
        match service {
            Service::Resp => resp::serve(stream, Rc::clone(&self.resp), pulse).await,
            Service::Grpc => grpc::serve(stream, Rc::clone(&self.grpc), pulse).await,
            Service::Http => http::serve(stream, peer, Rc::clone(&self.http), pulse).await,
        }
    }
}
