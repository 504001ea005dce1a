//! Fields that concern one connection only, and never pass the gateway (RFC 9110 §7.6.1).

use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const TRAILERS: HeaderValue = HeaderValue::from_static("trailers");

/// What a request asked of this connection.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// The protocol it wants to change to.
    pub(super) upgrade: Option<HeaderValue>,
    /// Whether it takes trailers.
    pub(super) trailers: bool,
}

/// Takes the hop-by-hop fields out of a request.
pub(super) fn take_from_request(headers: &mut HeaderMap) -> Asked {
    if take_usual(headers) {
        return Asked::default();
    }
    let wants_upgrade = take_connection(headers);
    let upgrade = headers.remove(UPGRADE).filter(|_| wants_upgrade);
    let trailers = headers
        .remove(TE)
        .is_some_and(|te| has_token(&te, "trailers"));
    headers.remove(TRANSFER_ENCODING);
    headers.remove(EXPECT);
    headers.remove(PROXY_AUTHORIZATION);
    Asked { upgrade, trailers }
}

/// Takes the hop-by-hop fields out of a response. The protocol of a 101 stays.
pub(super) fn take_from_response(headers: &mut HeaderMap, is_upgrade: bool) {
    if take_usual(headers) {
        return;
    }
    let upgrade = is_upgrade.then(|| headers.remove(UPGRADE)).flatten();
    take_connection(headers);
    headers.remove(TRANSFER_ENCODING);
    headers.remove(UPGRADE);
    if let Some(protocol) = upgrade {
        ask_upgrade(headers, protocol);
    }
}

/// Whether that was all: most messages have none of these fields, or `Connection` alone with one
/// usual word. One look at each name tells, where removing what is not there looks each of them up.
fn take_usual(headers: &mut HeaderMap) -> bool {
    let mut found = headers.keys().filter(|name| is_hop_by_hop(name));
    match (found.next(), found.next()) {
        (None, _) => true,
        (Some(name), None) if *name == CONNECTION => take_usual_connection(headers),
        _ => false,
    }
}

fn is_hop_by_hop(name: &HeaderName) -> bool {
    matches!(
        *name,
        CONNECTION | TE | TRANSFER_ENCODING | UPGRADE | EXPECT | PROXY_AUTHORIZATION
    ) || *name == KEEP_ALIVE
        || *name == PROXY_CONNECTION
}

/// Takes `Connection` when it is one line that names no field; whether it is gone.
fn take_usual_connection(headers: &mut HeaderMap) -> bool {
    let mut lines = headers.get_all(CONNECTION).iter();
    let is_usual = lines
        .next()
        .is_none_or(|line| line == "keep-alive" || line == "close");
    if is_usual && lines.next().is_none() {
        headers.remove(CONNECTION);
        return true;
    }
    false
}

/// Asks the next hop for a change of protocol, or grants it.
pub(super) fn ask_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol);
}

/// Tells the next hop that trailers are welcome. HTTP/1.1 wants it said of the connection.
pub(super) fn ask_trailers(headers: &mut HeaderMap, is_http1: bool) {
    headers.insert(TE, TRAILERS);
    if is_http1 {
        headers.insert(CONNECTION, HeaderValue::from_static("te"));
    }
}

/// Takes `Connection` and what it names; whether it names `upgrade`.
fn take_connection(headers: &mut HeaderMap) -> bool {
    headers.remove(KEEP_ALIVE);
    headers.remove(PROXY_CONNECTION);
    if take_usual_connection(headers) {
        return false;
    }
    take_named(headers)
}

#[cold]
fn take_named(headers: &mut HeaderMap) -> bool {
    let mut wants_upgrade = false;
    let mut named = Vec::new();
    for line in headers.get_all(CONNECTION) {
        for token in tokens(line) {
            wants_upgrade |= token.eq_ignore_ascii_case("upgrade");
            named.extend(HeaderName::try_from(token).ok().filter(may_be_taken));
        }
    }
    headers.remove(CONNECTION);
    for name in named {
        headers.remove(name);
    }
    wants_upgrade
}

/// Fields without which the next hop would read another message than we did stay; `Upgrade` and
/// `TE` are looked at by the caller.
fn may_be_taken(name: &HeaderName) -> bool {
    !matches!(
        *name,
        HOST | CONTENT_LENGTH | TRANSFER_ENCODING | UPGRADE | TE
    )
}

fn tokens(line: &HeaderValue) -> impl Iterator<Item = &str> {
    let line = line.to_str().unwrap_or_default();
    line.split(',')
        .map(str::trim)
        .filter(|token| !token.is_empty())
}

fn has_token(line: &HeaderValue, wanted: &str) -> bool {
    tokens(line).any(|token| token.eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn what_connection_names_goes_in_every_line_of_it() {
        let mut headers = fields(&[
            ("connection", "keep-alive, X-Hop"),
            ("connection", "x-other"),
            ("keep-alive", "timeout=5"),
            ("x-hop", "1"),
            ("x-other", "2"),
            ("x-stays", "3"),
        ]);
        assert_eq!(take_from_request(&mut headers), Asked::default());
        assert_eq!(headers, fields(&[("x-stays", "3")]));
    }

    #[test]
    fn connection_cannot_take_what_frames_or_routes_the_message() {
        let mut headers = fields(&[
            ("connection", "host, content-length"),
            ("host", "a.example"),
            ("content-length", "3"),
        ]);
        take_from_request(&mut headers);
        let stays = fields(&[("host", "a.example"), ("content-length", "3")]);
        assert_eq!(headers, stays);
    }

    #[test]
    fn an_upgrade_counts_only_when_connection_names_it() {
        let mut asked = fields(&[("connection", "Upgrade"), ("upgrade", "websocket")]);
        let upgrade = take_from_request(&mut asked).upgrade;
        assert_eq!(upgrade, Some(HeaderValue::from_static("websocket")));
        assert!(asked.is_empty());

        let mut stray = fields(&[("upgrade", "h2c")]);
        assert_eq!(take_from_request(&mut stray).upgrade, None);
        assert!(stray.is_empty());
    }

    #[test]
    fn trailers_are_asked_for_anew() {
        let mut headers = fields(&[("te", "trailers, deflate;q=0.5")]);
        assert!(take_from_request(&mut headers).trailers);
        ask_trailers(&mut headers, true);
        assert_eq!(headers, fields(&[("te", "trailers"), ("connection", "te")]));
    }

    #[test]
    fn a_response_keeps_its_protocol_only_when_it_changes_protocols() {
        let lines = [("connection", "upgrade"), ("upgrade", "websocket")];
        let mut switching = fields(&lines);
        take_from_response(&mut switching, true);
        assert_eq!(switching, fields(&lines));
        let mut plain = fields(&lines);
        take_from_response(&mut plain, false);
        assert!(plain.is_empty());
    }
}
