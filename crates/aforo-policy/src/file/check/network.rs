//! Networks: `10.0.0.0/8`, single addresses, `loopback`, `private`.

use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Why a text is not a network.
pub(super) struct NetworkError {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

const LOOPBACK: [&str; 2] = ["127.0.0.0/8", "::1/128"];
/// RFC 1918 and RFC 4193.
const PRIVATE: [&str; 4] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];

/// The networks that a word or an address stands for.
pub(super) fn networks(text: &str) -> Result<Vec<IpNet>, NetworkError> {
    match text {
        "loopback" => return Ok(LOOPBACK.iter().filter_map(|net| net.parse().ok()).collect()),
        "private" => return Ok(PRIVATE.iter().filter_map(|net| net.parse().ok()).collect()),
        _ => {}
    }
    let network = match text.parse::<IpAddr>() {
        Ok(address) => IpNet::from(address),
        Err(_) => text.parse::<IpNet>().map_err(|_| NetworkError {
            message: format!("`{text}` is not a network"),
            help: crate::file::nearest::nearest(text, ["loopback", "private"])
                .map(|near| format!("did you mean \"{near}\"?")),
        })?,
    };
    if network.addr() != network.network() {
        return Err(NetworkError {
            message: format!("`{text}` names one address and a larger network"),
            help: Some(format!(
                "the network is {}, the address {}",
                network.trunc(),
                network.addr()
            )),
        });
    }
    Ok(vec![unmapped(network)])
}

/// Peers are compared as IPv4 where they are IPv4, so networks are too.
fn unmapped(network: IpNet) -> IpNet {
    let IpNet::V6(six) = network else {
        return network;
    };
    mapped(six).map_or(network, IpNet::V4)
}

fn mapped(network: Ipv6Net) -> Option<Ipv4Net> {
    let address = network.addr().to_ipv4_mapped()?;
    let bits = network.prefix_len().checked_sub(96)?;
    Ipv4Net::new(address, bits).ok()
}
