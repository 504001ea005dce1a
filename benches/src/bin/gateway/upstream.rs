//! What all gateways forward to: nginx with a constant answer.

use std::fs;

use aforo_benches::Failure;

use crate::peer::{folder, free_port};
use crate::server::{Core, Server, command};

/// The upstream that runs.
pub(crate) struct Upstream {
    server: Server,
}

impl Upstream {
    /// Where it listens.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.server.port())
    }
}

/// Starts it.
pub(crate) fn start() -> Result<Upstream, Failure> {
    let port = free_port()?;
    let folder = folder()?;
    let path = folder.join("upstream.conf");
    let pid = folder.join("upstream.pid");
    let text = format!(
        r#"daemon off;
worker_processes 1;
pid {pid};
error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{
            default_type application/json;
            return 200 '{{"id":"b7f3","kind":"order","state":"paid","total":{{"amount":1990,"currency":"EUR"}},"lines":3}}';
        }}
    }}
}}
"#,
        pid = pid.display(),
    );
    fs::write(&path, text)?;
    let mut nginx = command("nginx", Core::Load);
    nginx.arg("-c").arg(&path);
    Ok(Upstream {
        server: Server::start(nginx, port)?,
    })
}
