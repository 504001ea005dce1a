//! Aforo: two plan policies by API key, all fields.

use aforo_benches::Failure;
use aforo_benches::admitted::{self, FIELD};
use aforo_benches::row::Target;

use crate::peer::{Allowance, CONSUMERS, MINUTE_BURST, PER_MINUTE, Peer, Site, free_port};
use crate::server::{Core, Server, command};

/// Aforo.
pub(crate) const LIMITED: Peer = Peer {
    name: "aforo",
    what: "itself",
    target: Target::Told,
    limits: true,
    start: |site, allowance| start(site, "aforo.toml", &text(allowance)?),
};

/// Aforo with all routes exempt.
pub(crate) const UNLIMITED: Peer = Peer {
    name: "aforo-off",
    what: "itself without its limiter",
    target: Target::Told,
    limits: false,
    start: |site, allowance| {
        let exempt = "\n[[routes]]\nmatch = \"/{*path}\"\nexempt = true\n";
        start(site, "aforo-off.toml", &(text(allowance)? + exempt))
    },
};

fn start(site: &Site, name: &str, text: &str) -> Result<Server, Failure> {
    let port = free_port()?;
    let gateway = format!(
        "[gateway]\nlisten = \"127.0.0.1:{port}\"\nupstream = [\"http://{}\"]\n{text}",
        site.upstream.address(),
    );
    let path = site.write(name, &gateway)?;
    let program = std::env::current_exe()?.with_file_name("aforo");
    let mut aforo = command(program, Core::Gateway);
    aforo
        .arg("run")
        .arg(path)
        .stderr(std::process::Stdio::null());
    Server::start(aforo, port)
}

fn text(allowance: Allowance) -> Result<String, Failure> {
    let Allowance { per_second, burst } = allowance;
    let consumers = admitted::consumers(CONSUMERS)?;
    Ok(format!(
        r#"
[identity]
api_key = {{ header = "{FIELD}" }}

[plans.anonymous]
policies = ["1/minute"]

[plans.pro]
policies = ["{per_second}/second burst {burst}", "{PER_MINUTE}/minute burst {MINUTE_BURST}"]

{consumers}"#
    ))
}
