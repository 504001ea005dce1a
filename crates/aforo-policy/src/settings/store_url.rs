//! Where a store is.

use std::fmt;
use std::str::FromStr;

/// The address of a store. Only [`StoreUrl::as_str`] shows the password that it may hold.
///
/// ```
/// use aforo_policy::{StoreKind, StoreUrl};
/// let url: StoreUrl = "redis://app:hunter2@10.0.0.5:6379/1".parse()?;
/// assert_eq!(url.kind(), StoreKind::Redis);
/// assert_eq!(url.to_string(), "redis://app:***@10.0.0.5:6379/1");
/// # Ok::<(), aforo_policy::StoreUrlError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct StoreUrl {
    kind: StoreKind,
    text: String,
}

/// What kind of store an address names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreKind {
    /// This process's memory.
    Memory,
    /// Redis or Valkey: one server, its Sentinels, or a Cluster.
    Redis,
    /// Memcached.
    Memcached,
    /// A SQLite file.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// A text that is not the address of a store. It does not hold the text, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; expected {expected}")]
pub struct StoreUrlError {
    /// What is wrong.
    pub problem: String,
    /// What it should look like.
    pub expected: &'static str,
    /// The scheme that was likely meant.
    pub nearest: Option<&'static str>,
}

/// How what follows a scheme is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `//[user[:password]@]host[:port]` and more.
    Server,
    /// The same with several hosts, parted by commas.
    Servers,
    /// Several hosts and the name of what they watch as the path.
    Watched,
    /// `//` and the absolute path of a socket.
    Socket,
    /// A path.
    File,
}

/// A scheme of the contract.
struct Scheme {
    name: &'static str,
    kind: StoreKind,
    form: Form,
    expected: &'static str,
}

const fn scheme(name: &'static str, kind: StoreKind, form: Form, expected: &'static str) -> Scheme {
    Scheme {
        name,
        kind,
        form,
        expected,
    }
}

const REDIS: &str = "redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]";
const CLUSTER: &str = "redis-cluster://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT],…";
const SENTINEL: &str = "redis-sentinel://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT],…/NAME";
const SOCKET: &str = "redis+unix:///PATH/OF/THE/SOCKET";
const MEMCACHED: &str = "memcached://HOST[:PORT]";
const SQLITE: &str = "sqlite:PATH";
const POSTGRES: &str = "postgres://[USER:PASSWORD@]HOST[:PORT]/DATABASE";

const SCHEMES: [Scheme; 19] = [
    scheme("redis", StoreKind::Redis, Form::Server, REDIS),
    scheme("rediss", StoreKind::Redis, Form::Server, REDIS),
    scheme("valkey", StoreKind::Redis, Form::Server, REDIS),
    scheme("valkeys", StoreKind::Redis, Form::Server, REDIS),
    scheme("redis+unix", StoreKind::Redis, Form::Socket, SOCKET),
    scheme("valkey+unix", StoreKind::Redis, Form::Socket, SOCKET),
    scheme("unix", StoreKind::Redis, Form::Socket, SOCKET),
    scheme("redis-cluster", StoreKind::Redis, Form::Servers, CLUSTER),
    scheme("rediss-cluster", StoreKind::Redis, Form::Servers, CLUSTER),
    scheme("valkey-cluster", StoreKind::Redis, Form::Servers, CLUSTER),
    scheme("valkeys-cluster", StoreKind::Redis, Form::Servers, CLUSTER),
    scheme("redis-sentinel", StoreKind::Redis, Form::Watched, SENTINEL),
    scheme("rediss-sentinel", StoreKind::Redis, Form::Watched, SENTINEL),
    scheme("valkey-sentinel", StoreKind::Redis, Form::Watched, SENTINEL),
    scheme(
        "valkeys-sentinel",
        StoreKind::Redis,
        Form::Watched,
        SENTINEL,
    ),
    scheme("memcached", StoreKind::Memcached, Form::Server, MEMCACHED),
    scheme("sqlite", StoreKind::Sqlite, Form::File, SQLITE),
    scheme("postgres", StoreKind::Postgres, Form::Server, POSTGRES),
    scheme("postgresql", StoreKind::Postgres, Form::Server, POSTGRES),
];

impl StoreUrl {
    /// This process's memory.
    pub fn memory() -> Self {
        Self {
            kind: StoreKind::Memory,
            text: "memory".to_owned(),
        }
    }

    /// The kind of store.
    pub const fn kind(&self) -> StoreKind {
        self.kind
    }

    /// Whether other instances may count there too: anything but memory.
    pub const fn is_shared(&self) -> bool {
        !matches!(self.kind, StoreKind::Memory)
    }

    /// The text without this address and its password, for what a driver says.
    pub fn without_password(&self, text: &str) -> String {
        let (shown, password) = (self.to_string(), self.password());
        let text = text.replace(&self.text, &shown);
        match password {
            Some(password) if !password.is_empty() => text.replace(password, "***"),
            _ => text,
        }
    }

    fn password(&self) -> Option<&str> {
        let (_, rest) = self.text.split_once("://")?;
        match rest.rsplit_once('@') {
            Some((user, _)) => user.split_once(':').map(|(_, password)| password),
            None => {
                let fields = rest.split(['?', '&']).skip(1);
                let mut passwords = fields.filter_map(|field| {
                    let field = field.strip_prefix("pass")?;
                    let field = field.strip_prefix("word").unwrap_or(field);
                    field.strip_prefix('=')
                });
                passwords.next()
            }
        }
    }

    /// The whole address, password and all: to open the store with, not to show.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for StoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, StoreUrlError> {
        if text == "memory" {
            return Ok(Self::memory());
        }
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let scheme = SCHEMES.iter().find(|scheme| scheme.name == name);
        let scheme = scheme.ok_or_else(|| unknown(name))?;
        scheme.check(rest).map_err(|problem| StoreUrlError {
            problem,
            expected: scheme.expected,
            nearest: None,
        })?;
        Ok(Self {
            kind: scheme.kind,
            text: text.to_owned(),
        })
    }
}

impl Scheme {
    /// Checks what follows the scheme's colon; what is wrong, without the text itself.
    fn check(&self, rest: &str) -> Result<(), String> {
        if self.form == Form::File {
            let path = rest.strip_prefix("//").unwrap_or(rest);
            let path = path.split('?').next().unwrap_or_default();
            return non_empty(path, "the path");
        }
        let Some(rest) = rest.strip_prefix("//") else {
            return Err(format!("there is no // behind {}:", self.name));
        };
        if self.form == Form::Socket {
            let path = rest.split('?').next().unwrap_or_default();
            return match path.strip_prefix('/') {
                Some(path) => non_empty(path, "the socket's path"),
                None => Err("the socket's path is not absolute".to_owned()),
            };
        }
        self.check_hosts(rest)
    }

    fn check_hosts(&self, rest: &str) -> Result<(), String> {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let hosts = match authority.rsplit_once('@') {
            Some((_, hosts)) => hosts,
            None if path.contains('@') => {
                return Err("a `/`, `?` or `#` in a password is not percent-encoded".to_owned());
            }
            None => authority,
        };
        if self.kind == StoreKind::Postgres && hosts.is_empty() && path.contains("host=") {
            return Ok(());
        }
        if self.form == Form::Server && hosts.contains(',') {
            return Err("there are several hosts".to_owned());
        }
        hosts.split(',').try_for_each(check_host)?;
        if self.form == Form::Watched {
            let name = path.trim_start_matches('/');
            let name = name.split(['/', '?', '#']).next().unwrap_or_default();
            non_empty(name, "the name of the primary that the Sentinels watch")?;
        }
        Ok(())
    }
}

fn check_host(host: &str) -> Result<(), String> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (name, port) = rest
                .split_once(']')
                .ok_or("the IPv6 address is not closed by ]")?;
            if name.parse::<std::net::Ipv6Addr>().is_err() {
                return Err("what is in [ ] is not an IPv6 address".to_owned());
            }
            (name, port.strip_prefix(':'))
        }
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        },
    };
    non_empty(name, "the host")?;
    if name.contains(char::is_whitespace) {
        return Err("there is white space in the host".to_owned());
    }
    match port.map(str::parse::<u16>) {
        None | Some(Ok(1..)) => Ok(()),
        Some(_) => Err("the port is not 1 to 65535".to_owned()),
    }
}

fn non_empty(text: &str, what: &str) -> Result<(), String> {
    match text {
        "" => Err(format!("{what} is missing")),
        _ => Ok(()),
    }
}

/// An unknown scheme. It is shown only where it looks like one: it may be a bare password.
fn unknown(name: &str) -> StoreUrlError {
    let names = SCHEMES.iter().map(|scheme| scheme.name).chain(["memory"]);
    let nearest = crate::file::nearest(name, names);
    let problem = match nearest {
        Some(_) => format!("there is no store `{name}`"),
        None => "there is no such store".to_owned(),
    };
    StoreUrlError {
        problem,
        expected: "memory, redis://, rediss://, valkey://, redis+unix://, redis-cluster://, \
                   redis-sentinel://, memcached://, sqlite:, postgres://",
        nearest,
    }
}

/// A line of a file with every password blackened, as long as it was.
pub(crate) fn blackened_line(line: &str) -> String {
    let black = |password: &str| "*".repeat(password.chars().count());
    let line = blackened(line, black);
    // An address whose slashes were forgotten holds its password all the same.
    let texts = line.split_inclusive(['"', '\'']);
    texts.map(|text| without_slashes(text, black)).collect()
}

/// An address without the two slashes behind its scheme, with its password blackened.
fn without_slashes(text: &str, black: fn(&str) -> String) -> String {
    let known = |name: &str| SCHEMES.iter().any(|scheme| scheme.name == name);
    let password = || {
        let (name, rest) = text.split_once(':').filter(|(name, _)| known(name))?;
        if rest.starts_with("//") {
            return None;
        }
        let (user, place) = rest.rsplit_once('@')?;
        let (user, password) = user.split_once(':')?;
        is_literal(password).then(|| format!("{name}:{user}:{}@{place}", black(password)))
    };
    password().unwrap_or_else(|| text.to_owned())
}

/// The text with every password in it blackened.
fn blackened(text: &str, black: fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        out.push_str(before);
        out.push_str("://");
        let end = after.find(['"', '\'']).unwrap_or(after.len());
        let (url, next) = after.split_at_checked(end).unwrap_or((after, ""));
        match url.rsplit_once('@') {
            Some((user, place)) => {
                match user.split_once(':') {
                    Some((name, password)) if is_literal(password) => {
                        out.push_str(name);
                        out.push(':');
                        out.push_str(&black(password));
                    }
                    _ => out.push_str(user),
                }
                out.push('@');
                push_query(&mut out, place, black);
            }
            None => push_query(&mut out, url, black),
        }
        rest = next;
    }
    out.push_str(rest);
    out
}

/// The fields of a query that hold a password.
fn push_query(out: &mut String, place: &str, black: fn(&str) -> String) {
    for (index, field) in place.split_inclusive(['?', '&']).enumerate() {
        let secret = index > 0 && (field.starts_with("pass=") || field.starts_with("password="));
        match field.split_once('=') {
            Some((name, value)) if secret && is_literal(value.trim_end_matches('&')) => {
                let password = value.trim_end_matches('&');
                out.push_str(name);
                out.push('=');
                out.push_str(&black(password));
                out.push_str(value.get(password.len()..).unwrap_or_default());
            }
            _ => out.push_str(field),
        }
    }
}

/// Whether a password is written out, rather than taken from a variable.
fn is_literal(password: &str) -> bool {
    let is_variable = password.starts_with("${") && password.ends_with('}');
    !is_variable && !password.is_empty()
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blackened(&self.text, |_| "***".to_owned()))
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

#[cfg(test)]
#[path = "store_url_tests.rs"]
mod tests;
