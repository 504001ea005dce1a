//! The decision service: answers other gateways and any client, each in the protocol it speaks.
//!
//! One thread per core, each with a runtime of its own and a socket of every listener. They share
//! one limiter. A listener is a folder.

mod grpc;
mod http;
mod pulse;
mod resp;
mod seats;
mod token;
mod worker;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use aforo::Limiter;
use aforo_policy::{Decide as Settings, Identity, Place};
use thiserror::Error;

use crate::gateway;
use crate::tls::{self, Clients, TlsError};
use crate::workers::Workers;
use seats::Seats;
use token::{Token, TokenError};
use worker::{Blueprint, Sockets, Worker};

/// A decision service that runs.
pub(crate) struct Decide {
    addresses: Vec<(Service, SocketAddr)>,
    /// Its threads.
    pub(crate) workers: Workers,
}

/// What a listener speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// The Redis protocol.
    Resp,
    /// Envoy's rate limit service.
    Grpc,
    /// HTTP with JSON.
    Http,
}

/// Why a decision service does not start.
#[derive(Debug, Error)]
pub(crate) enum StartError {
    /// An address is taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The listeners' TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A thread.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl Service {
    /// Its name in the file and the log.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Resp => "resp",
            Self::Grpc => "grpc",
            Self::Http => "http",
        }
    }
}

impl Decide {
    /// Starts one worker per core.
    pub(crate) fn start(
        settings: &Settings,
        identity: &Identity,
        limiter: &Limiter,
    ) -> Result<Self, StartError> {
        let tls = settings.tls.as_ref();
        let blueprint = Blueprint {
            limiter: limiter.at(Place::Decide),
            identity: Arc::new(identity.clone()),
            receipts: Arc::default(),
            hosts: settings.hosts.as_slice().into(),
            guarded_by_certificates: settings.client_ca.is_some(),
            token: settings.token.as_ref().map(Token::read).transpose()?,
            tls: tls
                .map(|tls| {
                    let authorities = settings.client_ca.as_deref();
                    tls::acceptor(
                        tls,
                        authorities.map_or(Clients::Unasked, Clients::Certified),
                        // Redis clients ask for none.
                        &[b"h2", b"http/1.1"],
                    )
                })
                .transpose()?,
            idle_timeout: settings.idle_timeout.into(),
            request_timeout: settings.request_timeout.into(),
        };
        let count = Workers::per_core();
        let mut sockets: Vec<Sockets> = (0..count).map(|_| Sockets::default()).collect();
        let mut addresses = Vec::new();
        let wanted = [
            (Service::Resp, settings.resp),
            (Service::Grpc, settings.grpc),
            (Service::Http, settings.http),
        ];
        for (service, address) in wanted {
            let Some(address) = address else { continue };
            let listen = |source| StartError::Listen { address, source };
            let listeners = gateway::bind(address, count).map_err(listen)?;
            let seats = Seats::new(settings.max_connections);
            if let Some(first) = listeners.first() {
                addresses.push((service, first.local_addr().map_err(listen)?));
            }
            for (of_worker, listener) in sockets.iter_mut().zip(listeners) {
                of_worker.push(service, listener, Arc::clone(&seats));
            }
        }
        let workers = Workers::start("decide", sockets, move |sockets, stop| {
            let worker = Worker::new(blueprint.clone());
            async move { worker.run(sockets, stop).await }
        });
        let workers = workers.map_err(StartError::Thread)?;
        Ok(Self { addresses, workers })
    }

    /// What it listens for, and where.
    pub(crate) fn addresses(&self) -> &[(Service, SocketAddr)] {
        &self.addresses
    }
}
