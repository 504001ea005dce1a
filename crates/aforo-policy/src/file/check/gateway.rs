//! `[gateway]`.

use std::net::SocketAddr;
use std::path::PathBuf;

use aforo_core::Span;

use super::Checker;
use crate::file::raw::{ForwardPath, RawCors, RawGateway, RawTls};
use crate::file::read::{List, Text};
use crate::{CanonicalPath, Cors, Gateway, Tls, Upstream};

impl Checker<'_> {
    pub(super) fn gateway(&mut self) -> Option<Gateway> {
        let raw = self.file.gateway.get()?;
        let upstream = self.upstreams(raw);
        let cors = raw.cors.get().map(|cors| self.cors(cors));
        let tls = raw.tls.get().and_then(tls);
        let header = self.positive_length(&raw.header_timeout);
        let idle = self.positive_length(&raw.idle_timeout);
        let connect = self.positive_length(&raw.connect_timeout);
        let response = self.positive_length(&raw.response_timeout);
        let drain = self.length(&raw.drain_timeout);
        let connections = self.count(&raw.max_connections, 1 << 24);
        let per_address = self.count(&raw.max_connections_per_address, 1 << 24);
        let body = self.count(&raw.max_body_for_keys, 1 << 30);
        let forward = raw.forward_path.get().map(|choice| choice.value);
        let limits_path = raw.limits_path.get();
        let limits_path = limits_path.and_then(|path| self.limits_path(path));
        Some(Gateway {
            listen: self.listen(raw.listen.get()?)?,
            upstream,
            tls,
            client_ca: self.client_ca(raw),
            max_connections: connections.unwrap_or(10_000),
            max_connections_per_address: per_address.unwrap_or(256),
            header_timeout: header.unwrap_or(Span::from_seconds(10)),
            idle_timeout: idle.unwrap_or(Span::from_seconds(60)),
            connect_timeout: connect.unwrap_or(Span::from_seconds(3)),
            response_timeout: response.unwrap_or(Span::from_seconds(60)),
            drain_timeout: drain.unwrap_or(Span::from_seconds(30)),
            forward_canonical: forward != Some(ForwardPath::Raw),
            max_body_for_keys: body.unwrap_or(65_536),
            limits_path,
            consumer_headers: raw.consumer_headers.get().is_some_and(|flag| flag.value),
            cors,
        })
    }

    /// The authorities of client certificates, which something has to make consumers of.
    fn client_ca(&mut self, raw: &RawGateway) -> Option<PathBuf> {
        let text = raw.tls.get()?.client_ca.get()?;
        let identity = self.file.identity.get();
        if identity.is_none_or(|identity| identity.client_certificate.is_absent()) {
            self.findings
                .add(text.at, "client certificates would name nobody")
                .expected("client_certificate in [identity], such as \"san-uri\"");
        }
        Some(text.value.clone().into())
    }

    pub(super) fn listen(&mut self, text: &Text) -> Option<SocketAddr> {
        let address = text.as_str().parse().ok();
        if address.is_none() {
            self.findings
                .add(
                    text.at,
                    format!("`{}` is not an address to listen at", text.written),
                )
                .expected("an IP address and a port, such as 127.0.0.1:8080 or [::]:8080");
        }
        address
    }

    /// One path, as paths are matched.
    fn limits_path(&mut self, text: &Text) -> Option<String> {
        let paths = self.paths();
        let path = text.as_str();
        let is_plain = path.starts_with('/') && !path.contains(['{', '}', '?', '#']);
        let canonical = CanonicalPath::new(path, &paths).ok();
        let canonical = canonical.filter(|canonical| is_plain && canonical.forwarded() == path);
        if canonical.is_none() {
            self.findings
                .add(text.at, format!("`{}` is not a path", text.written))
                .expected("one path without parameters, such as /limits");
        }
        canonical.map(|canonical| canonical.matched().to_owned())
    }

    fn upstreams(&mut self, raw: &RawGateway) -> Vec<Upstream> {
        let Some(list) = raw.upstream.get() else {
            return Vec::new();
        };
        if list.empty {
            self.findings
                .add(list.at, "a gateway with nothing behind it")
                .expected("http://host:port, or builtin:echo");
        }
        let upstreams: Vec<Upstream> = list.iter().filter_map(|text| self.upstream(text)).collect();
        if upstreams.contains(&Upstream::Echo) && list.items.len() > 1 {
            self.findings
                .add(list.at, "`builtin:echo` beside another upstream")
                .help("it answers every request by itself; leave one of them out");
        }
        upstreams
    }

    fn upstream(&mut self, text: &Text) -> Option<Upstream> {
        if text.value == "builtin:echo" {
            return Some(Upstream::Echo);
        }
        let uri = text.as_str().parse::<http::Uri>().ok();
        let scheme = uri.as_ref().and_then(http::Uri::scheme_str);
        if scheme == Some("https") {
            self.findings.later(text.at, "an upstream at https:");
            return None;
        }
        let right = uri.filter(|uri| {
            let plain = uri.authority().is_some_and(|name| {
                !name.as_str().contains('@') && !name.host().is_empty() && port_is_right(name)
            });
            matches!(uri.scheme_str(), Some("http" | "h2c")) && plain && uri.query().is_none()
        });
        if right.is_none() {
            self.findings
                .add(text.at, format!("`{}` is not an upstream", text.written))
                .expected("http://host:port or h2c://host:port, optionally with a base path, or builtin:echo");
        }
        right.map(Upstream::Http)
    }

    fn cors(&mut self, raw: &RawCors) -> Cors {
        let list = raw.allow_origins.get();
        let mut allow_origins = Vec::new();
        for text in list.into_iter().flat_map(List::iter) {
            if text.value != "*" && !is_origin(text.as_str()) {
                self.findings
                    .add(text.at, format!("`{}` is not an origin", text.written))
                    .expected("scheme://host[:port] in lower case without a path, or *");
            }
            allow_origins.push(text.value.clone());
        }
        if let Some(list) = list {
            if list.empty {
                self.findings
                    .add(list.at, "no page may read anything")
                    .help("leave `cors` out");
            }
            if allow_origins.len() > 1 && allow_origins.iter().any(|origin| origin == "*") {
                self.findings
                    .add(list.at, "`*` beside an origin")
                    .help("`*` is every origin; leave the others out");
            }
        }
        Cors { allow_origins }
    }
}

fn tls(raw: &RawTls) -> Option<Tls> {
    Some(Tls {
        cert: raw.cert.get()?.value.clone().into(),
        key: raw.key.get()?.value.clone().into(),
    })
}

/// A port that is missing or a number; `http` keeps a wrong one as text.
fn port_is_right(authority: &http::uri::Authority) -> bool {
    let host = authority.host();
    let rest = authority.as_str().strip_prefix(host).unwrap_or_default();
    rest.is_empty() || authority.port_u16().is_some_and(|port| port > 0)
}

/// An origin as browsers write it: scheme, host, port unless it is the scheme's own.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else {
        return false;
    };
    let scheme_is_right = !scheme.is_empty()
        && scheme.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte)
        });
    let host_is_right = !host.is_empty()
        && host.bytes().all(|byte| {
            byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && !b"/?#@".contains(&byte)
        });
    scheme_is_right && host_is_right
}
