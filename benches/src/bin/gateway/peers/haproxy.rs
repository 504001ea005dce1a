//! HAProxy: two stick-tables by API key, one thread.

use aforo_benches::Failure;
use aforo_benches::row::Target;

use crate::peer::{Allowance, PER_MINUTE, Peer, Site, free_port};
use crate::server::{Core, Server, command};

/// HAProxy.
pub(crate) const PEER: Peer = Peer {
    name: "haproxy",
    what: "HAProxy stick-table",
    target: Target::Told,
    limits: true,
    start,
};

fn start(site: &Site, allowance: Allowance) -> Result<Server, Failure> {
    let port = free_port()?;
    let mut haproxy = command("haproxy", Core::Gateway);
    haproxy
        .arg("-db")
        .arg("-f")
        .arg(site.write("haproxy.cfg", &text(site, allowance, port))?);
    Server::start(haproxy, port)
}

fn text(site: &Site, allowance: Allowance, port: u16) -> String {
    let Allowance { burst, .. } = allowance;
    format!(
        r#"global
    nbthread 1
    maxconn 4096
defaults
    mode http
    timeout connect 5s
    timeout client 1h
    timeout server 1h
    http-reuse always
backend second
    stick-table type string len 64 size 100k expire 10s store http_req_rate(1s)
backend minute
    stick-table type string len 64 size 100k expire 5m store http_req_rate(1m)
frontend orders_in
    bind 127.0.0.1:{port} backlog 1024
    http-request track-sc0 req.hdr(x-api-key) table second
    http-request track-sc1 req.hdr(x-api-key) table minute
    http-request deny deny_status 429 if {{ sc_http_req_rate(0) gt {burst} }}
    http-request deny deny_status 429 if {{ sc_http_req_rate(1) gt {PER_MINUTE} }}
    http-request set-header x-forwarded-for %[src]
    default_backend orders
backend orders
    server upstream {upstream}
"#,
        upstream = site.upstream.address(),
    )
}
