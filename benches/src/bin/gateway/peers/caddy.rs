//! Caddy: `reverse_proxy` alone, since the packaged program has no rate limit module.

use aforo_benches::Failure;
use aforo_benches::row::Target;

use crate::peer::{Allowance, Peer, Site, free_port};
use crate::peers::program;
use crate::server::{Core, Server, command};

/// Caddy.
pub(crate) const PEER: Peer = Peer {
    name: "caddy",
    what: "Caddy `reverse_proxy` (limits nothing)",
    target: Target::AtMost(0.45),
    limits: false,
    start,
};

fn start(site: &Site, _: Allowance) -> Result<Server, Failure> {
    let port = free_port()?;
    let text = format!(
        r#"{{
    admin off
    auto_https off
    persist_config off
    log {{
        level ERROR
    }}
}}
http://127.0.0.1:{port} {{
    bind 127.0.0.1
    reverse_proxy {upstream} {{
        transport http {{
            keepalive_idle_conns_per_host 128
        }}
    }}
}}
"#,
        upstream = site.upstream.address(),
    );
    let path = site.write("Caddyfile", &text)?;
    let mut caddy = command(program("caddy"), Core::Gateway);
    caddy
        .args(["run", "--adapter", "caddyfile", "--config"])
        .arg(path)
        .env("GOMAXPROCS", "1");
    Server::start(caddy, port)
}
