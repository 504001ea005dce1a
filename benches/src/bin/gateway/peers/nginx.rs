//! nginx: `limit_req` with two zones by API key, `proxy_pass`, one worker.

use aforo_benches::Failure;
use aforo_benches::row::Target;

use crate::peer::{Allowance, MINUTE_BURST, PER_MINUTE, Peer, Site, free_port};
use crate::server::{Core, Server, command};

/// nginx.
pub(crate) const PEER: Peer = Peer {
    name: "nginx",
    what: "nginx `limit_req`",
    target: Target::AtMost(1.15),
    limits: true,
    start,
};

fn start(site: &Site, allowance: Allowance) -> Result<Server, Failure> {
    let port = free_port()?;
    let mut nginx = command("nginx", Core::Gateway);
    nginx
        .arg("-c")
        .arg(site.write("nginx.conf", &text(site, allowance, port))?);
    Server::start(nginx, port)
}

fn text(site: &Site, allowance: Allowance, port: u16) -> String {
    let Allowance { per_second, burst } = allowance;
    format!(
        r#"daemon off;
worker_processes 1;
pid {folder}/nginx-{port}.pid;
error_log /dev/null crit;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    limit_req_zone $http_x_api_key zone=second:10m rate={per_second}r/s;
    limit_req_zone $http_x_api_key zone=minute:10m rate={PER_MINUTE}r/m;
    limit_req_status 429;
    upstream orders {{
        server {upstream};
        keepalive 128;
        keepalive_requests 1000000000;
        keepalive_timeout 1h;
    }}
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{
            limit_req zone=second burst={burst} nodelay;
            limit_req zone=minute burst={MINUTE_BURST} nodelay;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_pass http://orders;
        }}
    }}
}}
"#,
        folder = site.folder().display(),
        upstream = site.upstream.address(),
    )
}
