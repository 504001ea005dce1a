//! Traefik: two `rateLimit` middlewares by API key.

use aforo_benches::Failure;
use aforo_benches::row::Target;

use crate::peer::{Allowance, MINUTE_BURST, PER_MINUTE, Peer, Site, free_port};
use crate::peers::program;
use crate::server::{Core, Server, command};

/// Traefik.
pub(crate) const PEER: Peer = Peer {
    name: "traefik",
    what: "Traefik `rateLimit`",
    target: Target::AtMost(0.45),
    limits: true,
    start,
};

fn start(site: &Site, allowance: Allowance) -> Result<Server, Failure> {
    let port = free_port()?;
    let routes = site.write("traefik-routes.yaml", &routes(site, allowance))?;
    let fixed = format!(
        r#"global: {{ checkNewVersion: false, sendAnonymousUsage: false }}
log: {{ level: ERROR }}
entryPoints: {{ orders: {{ address: "127.0.0.1:{port}" }} }}
providers: {{ file: {{ filename: "{routes}", watch: false }} }}
"#,
        routes = routes.display(),
    );
    let fixed = site.write("traefik.yaml", &fixed)?;
    let mut traefik = command(program("traefik"), Core::Gateway);
    traefik
        .arg(format!("--configFile={}", fixed.display()))
        .env("GOMAXPROCS", "1");
    Server::start(traefik, port)
}

fn routes(site: &Site, allowance: Allowance) -> String {
    let Allowance { per_second, burst } = allowance;
    format!(
        r#"http:
  routers:
    orders: {{ rule: "PathPrefix(`/`)", service: orders, middlewares: [second, minute] }}
  middlewares:
    second:
      rateLimit: {{ average: {per_second}, period: 1s, burst: {burst}, sourceCriterion: {{ requestHeaderName: X-Api-Key }} }}
    minute:
      rateLimit: {{ average: {PER_MINUTE}, period: 1m, burst: {MINUTE_BURST}, sourceCriterion: {{ requestHeaderName: X-Api-Key }} }}
  services:
    orders:
      loadBalancer: {{ servers: [{{ url: "http://{upstream}" }}] }}
"#,
        upstream = site.upstream.address(),
    )
}
