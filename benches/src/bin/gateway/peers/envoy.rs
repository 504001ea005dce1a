//! Envoy: `local_ratelimit` with two dynamic descriptors by API key, one worker.

use aforo_benches::Failure;
use aforo_benches::row::Target;

use crate::peer::{Allowance, MINUTE_BURST, Peer, Site, free_port};
use crate::peers::program;
use crate::server::{Core, Server, command};

/// Envoy.
pub(crate) const PEER: Peer = Peer {
    name: "envoy",
    what: "Envoy `local_ratelimit`",
    target: Target::AtMost(0.45),
    limits: true,
    start,
};

fn start(site: &Site, allowance: Allowance) -> Result<Server, Failure> {
    let port = free_port()?;
    let mut envoy = command(program("envoy"), Core::Gateway);
    envoy
        .arg("-c")
        .arg(site.write("envoy.yaml", &text(site, allowance, port))?);
    envoy.args([
        "--concurrency",
        "1",
        "--disable-hot-restart",
        "--log-level",
        "error",
    ]);
    Server::start(envoy, port)
}

fn text(site: &Site, allowance: Allowance, port: u16) -> String {
    let Allowance { per_second, burst } = allowance;
    let address = site.upstream.address();
    let (_, upstream) = address.rsplit_once(':').unwrap_or_default();
    format!(
        r#"static_resources:
  listeners:
  - address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: orders
          generate_request_id: false
          route_config:
            virtual_hosts:
            - name: orders
              domains: ["*"]
              rate_limits:
              - actions:
                - generic_key: {{ descriptor_key: policy, descriptor_value: second }}
                - request_headers: {{ header_name: x-api-key, descriptor_key: caller }}
              - actions:
                - generic_key: {{ descriptor_key: policy, descriptor_value: minute }}
                - request_headers: {{ header_name: x-api-key, descriptor_key: caller }}
              routes:
              - match: {{ prefix: "/" }}
                route: {{ cluster: upstream }}
          http_filters:
          - name: envoy.filters.http.local_ratelimit
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
              stat_prefix: orders
              filter_enabled: {{ default_value: {{ numerator: 100 }} }}
              filter_enforced: {{ default_value: {{ numerator: 100 }} }}
              enable_x_ratelimit_headers: DRAFT_VERSION_03
              always_consume_default_token_bucket: false
              max_dynamic_descriptors: 1000
              token_bucket: {{ max_tokens: {MINUTE_BURST}, tokens_per_fill: {MINUTE_BURST}, fill_interval: 1s }}
              descriptors:
              - entries: [{{ key: policy, value: second }}, {{ key: caller }}]
                token_bucket: {{ max_tokens: {burst}, tokens_per_fill: {per_second}, fill_interval: 1s }}
              - entries: [{{ key: policy, value: minute }}, {{ key: caller }}]
                token_bucket: {{ max_tokens: {MINUTE_BURST}, tokens_per_fill: {MINUTE_BURST}, fill_interval: 1s }}
          - name: envoy.filters.http.router
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
  clusters:
  - name: upstream
    type: STATIC
    load_assignment:
      cluster_name: upstream
      endpoints:
      - lb_endpoints:
        - endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {upstream} }} }} }}
"#
    )
}
