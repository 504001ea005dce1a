//! Where the servers are: what the url says.

use ::redis::sentinel::SentinelNodeConnectionInfo;
use ::redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisError, TlsMode};

use crate::OpenError;

/// The servers that keep the counters.
#[derive(Clone, Debug)]
pub(super) enum Address {
    /// One server.
    Single(ConnectionInfo),
    /// Whichever server the sentinels call the master.
    Sentinel {
        sentinels: Vec<ConnectionInfo>,
        master: String,
        node: SentinelNodeConnectionInfo,
    },
    /// A cluster, with some of its nodes.
    Cluster(Vec<ConnectionInfo>),
}

const EXPECTED: &str = "redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], rediss://…, \
     unix:///PATH[?db=DATABASE], redis-sentinel://HOST[:PORT],HOST[:PORT]/MASTER[/DATABASE] or \
     redis-cluster://HOST[:PORT],HOST[:PORT]";

const SENTINEL_PORT: u16 = 26_379;

impl Address {
    /// Reads a store's url.
    pub(super) fn parse(url: &str) -> Result<Self, OpenError> {
        let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong("no scheme"))?;
        let address = match scheme {
            "redis" | "rediss" | "valkey" | "valkeys" | "unix" | "redis+unix" | "valkey+unix" => {
                Self::Single(url.into_connection_info().map_err(refused)?)
            }
            "redis-cluster" | "valkey-cluster" => Self::cluster("redis", rest)?,
            "rediss-cluster" | "valkeys-cluster" => Self::cluster("rediss", rest)?,
            "redis-sentinel" | "valkey-sentinel" => Self::sentinel("redis", rest)?,
            "rediss-sentinel" | "valkeys-sentinel" => Self::sentinel("rediss", rest)?,
            _ => return Err(wrong("an unknown scheme")),
        };
        Ok(address)
    }

    /// Whether each key lives on a server of its own.
    pub(super) const fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster(_))
    }

    fn cluster(scheme: &str, rest: &str) -> Result<Self, OpenError> {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if !matches!(path, "" | "0") {
            return Err(wrong("a cluster has database 0 only"));
        }
        Ok(Self::Cluster(nodes(scheme, authority, "")?))
    }

    fn sentinel(scheme: &str, rest: &str) -> Result<Self, OpenError> {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (master, database) = path.split_once('/').unwrap_or((path, ""));
        if master.is_empty() {
            return Err(wrong("no name of a master"));
        }
        let (_, hosts) = credentials(authority);
        let with_master = nodes(scheme, authority, database)?;
        let settings = with_master.first().map(ConnectionInfo::redis_settings);
        let mut node = SentinelNodeConnectionInfo::default();
        if let Some(settings) = settings {
            node = node.set_redis_connection_info(settings.clone());
        }
        if scheme == "rediss" {
            node = node.set_tls_mode(TlsMode::Secure);
        }
        let sentinels = nodes(scheme, hosts, "")?;
        let sentinels = sentinels.into_iter().zip(hosts.split(','));
        Ok(Self::Sentinel {
            sentinels: sentinels.map(on_sentinel_port).collect(),
            master: master.to_owned(),
            node,
        })
    }
}

/// User and password with their `@`, and the hosts.
fn credentials(authority: &str) -> (&str, &str) {
    let at = authority.rfind('@').map_or(0, |at| at.saturating_add(1));
    authority.split_at_checked(at).unwrap_or(("", authority))
}

/// Each host as the url of one server.
fn nodes(scheme: &str, authority: &str, database: &str) -> Result<Vec<ConnectionInfo>, OpenError> {
    let (credentials, hosts) = credentials(authority);
    hosts
        .split(',')
        .map(|host| match host {
            "" => Err(wrong("an empty host")),
            host => format!("{scheme}://{credentials}{host}/{database}")
                .into_connection_info()
                .map_err(refused),
        })
        .collect()
}

/// A sentinel's port is another one, when none is named.
fn on_sentinel_port((node, host): (ConnectionInfo, &str)) -> ConnectionInfo {
    let after_brackets = host.rsplit(']').next().unwrap_or(host);
    if after_brackets.contains(':') {
        return node;
    }
    let address = match node.addr().clone() {
        ConnectionAddr::Tcp(host, _) => ConnectionAddr::Tcp(host, SENTINEL_PORT),
        ConnectionAddr::TcpTls {
            host,
            insecure,
            tls_params,
            ..
        } => ConnectionAddr::TcpTls {
            host,
            port: SENTINEL_PORT,
            insecure,
            tls_params,
        },
        other => other,
    };
    node.set_addr(address)
}

fn wrong(problem: &str) -> OpenError {
    OpenError::Url {
        problem: problem.to_owned(),
        expected: EXPECTED,
    }
}

// What the client library says of a url names parts of it, never the password.
fn refused(error: RedisError) -> OpenError {
    wrong(&error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes_of(url: &str) -> Vec<String> {
        let nodes = match Address::parse(url).unwrap() {
            Address::Single(node) => vec![node],
            Address::Cluster(nodes) => nodes,
            Address::Sentinel { sentinels, .. } => sentinels,
        };
        nodes.iter().map(|node| node.addr().to_string()).collect()
    }

    #[test]
    fn one_server_is_named_by_host_and_port_or_socket() {
        assert_eq!(nodes_of("redis://10.0.0.1"), ["10.0.0.1:6379"]);
        assert_eq!(nodes_of("valkey://[::1]:7000/3"), ["::1:7000"]);
        assert_eq!(nodes_of("rediss://cache.example:1"), ["cache.example:1"]);
        assert_eq!(nodes_of("unix:///run/redis.sock"), ["/run/redis.sock"]);
    }

    #[test]
    fn user_password_and_database_are_read() {
        let Ok(Address::Single(node)) = Address::parse("redis://limits:p%40ss@db:7000/4") else {
            panic!("one server");
        };
        let settings = node.redis_settings();
        assert_eq!(settings.username(), Some("limits"));
        assert_eq!(settings.password(), Some("p@ss"));
        assert_eq!(settings.db(), 4);
    }

    #[test]
    fn a_cluster_is_named_by_some_of_its_nodes() {
        let nodes = nodes_of("redis-cluster://u:p@a:1,b:2,c");
        assert_eq!(nodes, ["a:1", "b:2", "c:6379"]);
        assert!(Address::parse("redis-cluster://a/1").is_err());
        assert!(Address::parse("redis-cluster://a,,b").is_err());
    }

    #[test]
    fn sentinels_have_a_port_of_their_own() {
        let nodes = nodes_of("redis-sentinel://:secret@a,b:7,[::1]/mymaster/2");
        assert_eq!(nodes, ["a:26379", "b:7", "::1:26379"]);
        assert!(Address::parse("redis-sentinel://a,b").is_err());
    }

    #[test]
    fn an_error_never_shows_a_password() {
        for url in [
            "redis://u:hunter2@h/x",
            "http://u:hunter2@h",
            "redis-cluster://u:hunter2@a,",
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
            assert!(error.contains("redis-cluster://"), "{error}");
        }
    }
}
