//! `[decide]`.

use std::net::SocketAddr;

use aforo_core::Span;

use super::Checker;
use crate::file::raw::RawDecide;
use crate::file::read::{Field, Text};
use crate::{Decide, Tls};

impl Checker<'_> {
    pub(super) fn decide(&mut self) -> Option<Decide> {
        let raw = self.file.decide.get()?;
        let mut taken = self.gateway_listen();
        let grpc = self.decide_listen(&raw.grpc, &mut taken);
        let resp = self.decide_listen(&raw.resp, &mut taken);
        let http = self.decide_listen(&raw.http, &mut taken);
        if listeners(raw).all(Field::is_absent) {
            self.findings
                .add(raw.place, "a decision service that listens nowhere")
                .expected("a listener, such as http = \"127.0.0.1:8082\"");
        }
        let open = raw.open.get().is_some_and(|open| open.value);
        self.check_admittance(raw, open);
        self.check_throttle_name();
        let tls = raw.tls.get();
        let path = |field: &Field<Text>| field.get().map(|text| text.value.clone().into());
        let connections = self.count(&raw.max_connections, 1 << 24);
        let idle = self.positive_length(&raw.idle_timeout);
        let request = self.positive_length(&raw.request_timeout);
        Some(Decide {
            grpc,
            resp,
            http,
            hosts: self.hosts(raw),
            token: raw.token.get().cloned(),
            tls: tls.and_then(|tls| {
                Some(Tls {
                    cert: path(&tls.cert)?,
                    key: path(&tls.key)?,
                })
            }),
            client_ca: tls.and_then(|tls| path(&tls.client_ca)),
            open,
            max_connections: connections.unwrap_or(10_000),
            idle_timeout: idle.unwrap_or(Span::from_seconds(300)),
            request_timeout: request.unwrap_or(Span::from_seconds(10)),
        })
    }

    /// Where the gateway listens, right or wrong.
    fn gateway_listen(&self) -> Vec<SocketAddr> {
        let gateway = self.file.gateway.get();
        let listen = gateway.and_then(|gateway| gateway.listen.get());
        listen
            .and_then(|text| text.as_str().parse().ok())
            .into_iter()
            .collect()
    }

    fn decide_listen(
        &mut self,
        field: &Field<Text>,
        taken: &mut Vec<SocketAddr>,
    ) -> Option<SocketAddr> {
        let text = field.get()?;
        let address = self.listen(text)?;
        if address.port() != 0 && taken.contains(&address) {
            self.findings
                .add(text.at, format!("`{}` is listened at twice", text.written))
                .help("give each listener a port of its own");
        }
        taken.push(address);
        Some(address)
    }

    /// Listeners that strangers reach need somebody to say who may ask.
    fn check_admittance(&mut self, raw: &RawDecide, open: bool) {
        let guarded = !raw.token.is_absent()
            || raw.tls.is_wrong()
            || raw.tls.get().is_some_and(|tls| !tls.client_ca.is_absent());
        if open && guarded {
            if let Some(open) = raw.open.get() {
                self.findings
                    .add(open.at, "`open` beside `token` or `client_ca`")
                    .help("`open = true` means that anybody may ask; leave one of them out");
            }
            return;
        }
        if open || guarded {
            return;
        }
        for text in listeners(raw).filter_map(Field::get) {
            let address = text.as_str().parse::<SocketAddr>().ok();
            if address.is_some_and(|address| !address.ip().to_canonical().is_loopback()) {
                let written = &text.written;
                self.findings
                    .add(text.at, format!("anybody who reaches `{written}` may ask"))
                    .expected("`token`, `client_ca` in `tls`, or `open = true` if that is meant");
            }
        }
    }

    /// The names that a Host field may say, in lower case.
    fn hosts(&mut self, raw: &RawDecide) -> Vec<String> {
        let mut hosts = Vec::new();
        for text in raw.hosts.get().into_iter().flat_map(|list| &list.items) {
            let name = text.as_str();
            let is_name = !name.is_empty()
                && name.len() <= 253
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
            if is_name {
                hosts.push(name.to_ascii_lowercase());
            } else {
                self.findings
                    .add(
                        text.at,
                        format!("`{}` is not the name of a host", text.written),
                    )
                    .expected("a name without scheme and port, such as aforo.internal");
            }
        }
        hosts
    }

    /// What brings its own quotas is counted by itself: a policy of the file would mix with it.
    fn check_throttle_name(&mut self) {
        let policies = self.file.policies.get();
        let named = policies.into_iter().flat_map(|policies| &policies.0);
        for (name, _) in named {
            let whose = match name.as_str() {
                "cl.throttle" => "the command CL.THROTTLE",
                "envoy.limit" => "limits that come with an Envoy descriptor",
                _ => continue,
            };
            self.findings
                .add(
                    name.at,
                    format!("`{}` is the policy of {whose}", name.value),
                )
                .help("give this policy another name");
        }
    }
}

/// Where the service may listen, right or wrong.
fn listeners(raw: &RawDecide) -> impl Iterator<Item = &Field<Text>> {
    [&raw.grpc, &raw.resp, &raw.http].into_iter()
}
