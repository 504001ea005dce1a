//! The gateway: a reverse proxy that asks the limiter about every request.
//!
//! One thread per core, each with a runtime, a listener and upstream connections of its own, so
//! that a request meets no lock but the store's. They share one limiter.

mod activity;
mod body;
mod caps;
mod certificate;
mod connection;
mod consumer_fields;
mod deadline;
mod der;
mod echo;
mod exchange;
mod forward;
mod hop_by_hop;
mod listener;
mod local_executor;
mod open_connections;
mod problem;
mod protocol;
mod request_target;
mod socket;
mod tunnel;
mod unwind;
mod upstream;
mod worker;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use aforo::Limiter;
use aforo_policy::{Gateway as Settings, Identity};
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

use caps::Caps;
use upstream::Target;
use worker::{Blueprint, Timeouts, Worker};

use crate::tls::{self, Clients, TlsError};
use crate::workers::Workers;

pub(crate) use listener::{bind, set_up};
pub(crate) use local_executor::LocalExecutor;
pub(crate) use upstream::TargetError;

/// A gateway that runs.
pub(crate) struct Gateway {
    address: SocketAddr,
    /// Its threads.
    pub(crate) workers: Workers,
}

/// Why a gateway does not start.
#[derive(Debug, Error)]
pub(crate) enum StartError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The listener's TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// An upstream.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A thread.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl Gateway {
    /// Starts one worker per core.
    pub(crate) fn start(
        settings: &Settings,
        identity: &Identity,
        limiter: Limiter,
    ) -> Result<Self, StartError> {
        let blueprint = blueprint(settings, identity, limiter)?;
        let count = Workers::per_core();
        let listeners = listener::bind(settings.listen, count).map_err(|source| {
            let address = settings.listen;
            StartError::Listen { address, source }
        })?;
        let address = listeners
            .first()
            .and_then(|listener| listener.local_addr().ok())
            .unwrap_or(settings.listen);
        let workers = Workers::start("gateway", listeners, move |listener, stop| {
            let worker = Worker::new(blueprint.clone());
            async move { worker.run(listener, stop).await }
        });
        let workers = workers.map_err(StartError::Thread)?;
        Ok(Self { address, workers })
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }
}

fn blueprint(
    settings: &Settings,
    identity: &Identity,
    limiter: Limiter,
) -> Result<Blueprint, StartError> {
    let mut targets = Vec::new();
    for upstream in &settings.upstream {
        if let aforo_policy::Upstream::Http(uri) = upstream {
            targets.push(Target::new(uri)?);
        }
    }
    let caps = Caps::new(
        settings.max_connections,
        settings.max_connections_per_address,
        identity,
    );
    Ok(Blueprint {
        limiter,
        identity: Arc::new(identity.clone()),
        targets,
        timeouts: Timeouts {
            header: settings.header_timeout.into(),
            idle: settings.idle_timeout.into(),
            connect: settings.connect_timeout.into(),
            response: settings.response_timeout.into(),
            drain: settings.drain_timeout.into(),
        },
        forward_canonical: settings.forward_canonical,
        names_consumers: settings.consumer_headers,
        caps,
        tls: acceptor(settings)?,
        certificate_name: identity.client_certificate,
    })
}

/// What accepts TLS connections, HTTP/2 before HTTP/1.1.
fn acceptor(settings: &Settings) -> Result<Option<TlsAcceptor>, TlsError> {
    let Some(tls) = &settings.tls else {
        return Ok(None);
    };
    let authorities = settings.client_ca.as_deref();
    let clients = authorities.map_or(Clients::Unasked, Clients::Asked);
    tls::acceptor(tls, clients, &[b"h2", b"http/1.1"]).map(Some)
}
