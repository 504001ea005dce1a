//! The decision service.

use aforo_core::Span;
use aforo_policy::{Secret, Tls};

use super::{finding, lines, settings};

#[test]
fn a_file_with_nothing_but_a_decision_service_is_a_file() {
    let decide = settings("[decide]\nresp = \"127.0.0.1:6380\"\n")
        .decide
        .unwrap();
    assert_eq!(decide.resp, Some("127.0.0.1:6380".parse().unwrap()));
    assert_eq!((decide.token, decide.tls, decide.open), (None, None, false));
    assert_eq!(decide.max_connections, 10_000);
    assert_eq!(decide.idle_timeout, Span::from_seconds(300));
    assert_eq!(decide.request_timeout, Span::from_seconds(10));
}

#[test]
fn http_clients_are_served_by_themselves_too() {
    let decide = settings("[decide]\nhttp = \"127.0.0.1:8082\"\nhosts = [\"Aforo.internal\"]\n")
        .decide
        .unwrap();
    assert_eq!(decide.http, Some("127.0.0.1:8082".parse().unwrap()));
    assert_eq!(decide.resp, None);
    assert_eq!(decide.hosts, ["aforo.internal"]);
    assert_eq!(
        finding("[decide]\nhttp = \"0.0.0.0:8082\"\n"),
        "2:8 anybody who reaches `0.0.0.0:8082` may ask"
    );
}

#[test]
fn everything_that_a_decision_service_may_say() {
    let decide = settings(
        "[decide]\nresp = \"[::]:6380\"\ntoken = { env = \"TOKEN\" }\n\
         tls = { cert = \"a.pem\", key = \"b.pem\", client_ca = \"c.pem\" }\n\
         max_connections = 7\nidle_timeout = \"1min\"\nrequest_timeout = \"2s\"\n",
    )
    .decide
    .unwrap();
    assert_eq!(decide.resp, Some("[::]:6380".parse().unwrap()));
    assert_eq!(decide.token, Some(Secret::Variable("TOKEN".to_owned())));
    let (cert, key) = ("a.pem".into(), "b.pem".into());
    assert_eq!(decide.tls, Some(Tls { cert, key }));
    assert_eq!(decide.client_ca, Some("c.pem".into()));
    assert_eq!(decide.max_connections, 7);
    assert_eq!(decide.idle_timeout, Span::from_seconds(60));
    assert_eq!(decide.request_timeout, Span::from_seconds(2));
}

#[test]
fn a_listener_that_strangers_reach_does_not_start_by_itself() {
    for address in ["0.0.0.0:6380", "[::]:6380", "192.0.2.1:6380"] {
        let said = format!("[decide]\nresp = \"{address}\"\n");
        assert_eq!(
            finding(&said),
            format!("2:8 anybody who reaches `{address}` may ask")
        );
        settings(&format!("{said}open = true\n"));
        settings(&format!("{said}token = {{ env = \"TOKEN\" }}\n"));
        settings(&format!(
            "{said}tls = {{ cert = \"a\", key = \"b\", client_ca = \"c\" }}\n"
        ));
        let alone = format!("{said}tls = {{ cert = \"a\", key = \"b\" }}\n");
        assert_eq!(lines(&alone).len(), 1, "TLS alone says nothing of who asks");
        assert_eq!(lines(&format!("{said}open = false\n")).len(), 1);
    }
    for loopback in ["127.0.0.9:6380", "[::1]:6380", "[::ffff:127.0.0.1]:6380"] {
        settings(&format!("[decide]\nresp = \"{loopback}\"\n"));
    }
}

#[test]
fn what_makes_no_sense_is_said() {
    assert_eq!(
        finding("[decide]\nmax_connections = 5\n"),
        "1:1 a decision service that listens nowhere"
    );
    assert_eq!(
        finding("[decide]\ngrpc = \"0.0.0.0:8081\"\n"),
        "2:8 anybody who reaches `0.0.0.0:8081` may ask"
    );
    assert_eq!(
        finding("[decide]\nresp = \"127.0.0.1:1\"\ngrpc = \"127.0.0.1:1\"\n"),
        "2:8 `127.0.0.1:1` is listened at twice"
    );
    assert_eq!(
        finding(
            "[gateway]\nlisten = \"127.0.0.1:6380\"\nupstream = [\"builtin:echo\"]\n\
             [decide]\nresp = \"127.0.0.1:6380\"\n[plans.anonymous]\npolicies = [\"1/s\"]\n"
        ),
        "5:8 `127.0.0.1:6380` is listened at twice"
    );
    assert_eq!(
        finding("[decide]\nresp = \"127.0.0.1:6380\"\nopen = true\ntoken = { env = \"T\" }\n"),
        "3:8 `open` beside `token` or `client_ca`"
    );
    assert_eq!(
        finding("[decide]\nresp = \"127.0.0.1:1\"\nhttp = \"127.0.0.1:1\"\n"),
        "3:8 `127.0.0.1:1` is listened at twice"
    );
    assert_eq!(
        finding("[decide]\nhttp = \"127.0.0.1:1\"\nhosts = [\"https://a.example\"]\n"),
        "3:10 `https://a.example` is not the name of a host"
    );
    assert_eq!(
        finding("[decide]\nresp = \"localhost\"\n"),
        "2:8 `localhost` is not an address to listen at"
    );
    assert_eq!(
        finding("[decide]\nresp = \"127.0.0.1:1\"\ntoken = \"hunter2\"\n"),
        "3:9 a secret is never written into the file"
    );
    assert_eq!(
        finding("[decide]\nresp = \"127.0.0.1:1\"\n[policies.\"cl.throttle\"]\nquota = \"1/s\"\n"),
        "3:11 `cl.throttle` is the policy of the command CL.THROTTLE"
    );
}
