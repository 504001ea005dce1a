//! Who is calling, as the file says it.

use aforo_policy::{CertificateName, CredentialSource, ForwardedHeader, ProxyTrust};

use super::{finding, help, lines, settings};

#[track_caller]
fn identity(fields: &str) -> String {
    finding(&format!("[identity]\n{fields}\n"))
}

#[test]
fn networks_are_read() {
    let settings = settings(
        "[identity]\ntrusted_proxies = [\"10.0.0.0/8\", \"192.0.2.7\", \"2001:db8::/32\", \"::ffff:172.17.0.0/112\", \"loopback\", \"private\"]\n",
    );
    let ProxyTrust::Networks(networks) = &settings.identity.trust else {
        panic!();
    };
    let networks: Vec<String> = networks.iter().map(ToString::to_string).collect();
    assert_eq!(
        networks,
        [
            "10.0.0.0/8",
            "192.0.2.7/32",
            "2001:db8::/32",
            "172.17.0.0/16",
            "127.0.0.0/8",
            "::1/128",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "fc00::/7",
        ]
    );
}

#[test]
fn wrong_networks_are_refused() {
    assert_eq!(
        identity("trusted_proxies = [\"10.0.0.0/33\"]"),
        "2:20 `10.0.0.0/33` is not a network"
    );
    let text = "[identity]\ntrusted_proxies = [\"10.1.2.3/8\"]\n";
    assert_eq!(
        finding(text),
        "2:20 `10.1.2.3/8` names one address and a larger network"
    );
    assert_eq!(
        help(text),
        "the network is 10.0.0.0/8, the address 10.1.2.3"
    );
    let text = "[identity]\ntrusted_proxies = [\"loopbak\"]\n";
    assert_eq!(help(text), "did you mean \"loopback\"?");
}

#[test]
fn hops_stand_instead_of_networks() {
    let settings = settings("[identity]\ntrusted_hops = 2\nforwarded_header = \"Forwarded\"\n");
    assert_eq!(settings.identity.trust, ProxyTrust::Hops(2));
    assert_eq!(
        settings.identity.forwarded_header,
        ForwardedHeader::Forwarded
    );
    assert_eq!(
        identity("trusted_hops = 1\ntrusted_proxies = [\"10.0.0.0/8\"]"),
        "2:16 both `trusted_hops` and `trusted_proxies`"
    );
    assert_eq!(identity("trusted_hops = 0"), "2:16 found 0");
    assert_eq!(
        identity("trusted_hops = 2\nforwarded_header = \"cf-connecting-ip\""),
        "2:16 a header with a single address has no second entry"
    );
}

#[test]
fn headers_of_proxies_need_a_trusted_proxy() {
    assert_eq!(
        identity("forwarded_header = \"cf-connecting-ip\""),
        "2:20 nobody is trusted to send `cf-connecting-ip`"
    );
    assert_eq!(
        identity("trusted_proxies = []\nverified_header = \"x-id\""),
        "3:19 nobody is trusted to send `x-id`"
    );
    let settings = settings(
        "[identity]\ntrusted_proxies = [\"private\"]\nforwarded_header = \"CF-Connecting-IP\"\nverified_header = \"x-id\"\n",
    );
    let header = ForwardedHeader::Single("cf-connecting-ip".parse().unwrap());
    assert_eq!(settings.identity.forwarded_header, header);
    assert_eq!(settings.identity.verified_header.unwrap(), "x-id");
    assert_eq!(
        identity("trusted_hops = 1\nverified_header = \"X-Forwarded-For\""),
        "3:19 `X-Forwarded-For` is read for something else"
    );
    assert_eq!(
        identity("trusted_hops = 1\nverified_header = \"x-api-key\""),
        "3:19 `x-api-key` is read for something else"
    );
    assert_eq!(
        identity("trusted_hops = 1\nforwarded_header = \"x forwarded\""),
        "3:20 `x forwarded` is not a header"
    );
}

#[test]
fn api_keys_are_read_in_order() {
    let settings = settings(
        "[identity]\napi_key = [{ header = \"Authorization\", scheme = \"Bearer\" }, { header = \"x-api-key\" }]\n",
    );
    let source = |header: &str, scheme: Option<&str>| CredentialSource {
        header: header.parse().unwrap(),
        scheme: scheme.map(str::to_owned),
    };
    assert_eq!(
        settings.identity.api_key,
        [
            source("authorization", Some("Bearer")),
            source("x-api-key", None)
        ]
    );
    assert_eq!(
        identity("api_key = { header = \"authorization\" }"),
        "2:11 `authorization` holds a scheme and a credential"
    );
    assert_eq!(
        identity("api_key = { header = \"x-key\", scheme = \"Bearer token\" }"),
        "2:40 `Bearer token` is not a scheme"
    );
    assert_eq!(
        identity("api_key = [{ header = \"x-key\" }, { header = \"X-Key\" }]"),
        "2:34 this header is here twice"
    );
}

#[test]
fn callers_without_a_credential_have_a_plan_or_are_turned_away() {
    let gateway = "[gateway]\nlisten = \"127.0.0.1:80\"\nupstream = [\"builtin:echo\"]\n";
    assert_eq!(finding(gateway), "1:1 there is no plan `anonymous`");
    settings(&format!("{gateway}[identity]\nanonymous = \"deny\"\n"));
    assert_eq!(
        finding("[plans.free]\npolicies = [\"1/s\"]\n"),
        "1:8 there is no plan `anonymous`"
    );
    settings("[policies.a]\nquota = \"1/s\"\n[[routes]]\nmatch = \"/\"\npolicies = [\"@a\"]\n");
}

#[test]
fn consumers_of_a_header_have_a_plan() {
    let text = "[plans.anonymous]\npolicies = [\"1/s\"]\n[identity]\ntrusted_hops = 1\nverified_header = \"x-id\"\n";
    assert_eq!(
        lines(text),
        ["5:19 consumers of `verified_header` would have no plan"]
    );
    settings(&format!("{text}default_plan = \"anonymous\"\n"));
}

#[test]
fn the_registry_is_in_an_sql_database() {
    let of = |url: &str| {
        settings(&format!("[identity]\nregistry = \"{url}\"\n"))
            .identity
            .registry
    };
    assert_eq!(
        of("sqlite:consumers.db").unwrap().as_str(),
        "sqlite:consumers.db"
    );
    let server = of("postgres://aforo:hunter2@db/aforo").unwrap();
    assert_eq!(server.to_string(), "postgres://aforo:***@db/aforo");
    for wrong in ["redis://127.0.0.1", "memory", "sqlite::memory:"] {
        assert_eq!(
            identity(&format!("registry = \"{wrong}\"")),
            "2:12 the registry is not in an SQL database"
        );
    }
    assert_eq!(
        identity("registry = \"sqlite:a\"\nlookup = { url = \"http://a/b\" }"),
        "2:12 both a `registry` and the `url` of a `lookup`"
    );
}

/// A file whose gateway asks for client certificates, with these lines in `[identity]`.
fn with_certificates(fields: &str) -> String {
    format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\
         tls = {{ cert = \"a.pem\", key = \"b.pem\", client_ca = \"c.pem\" }}\n\
         [identity]\n{fields}\n[plans.anonymous]\npolicies = [\"1/s\"]\n\
         [plans.free]\npolicies = [\"2/s\"]\n"
    )
}

#[test]
fn a_client_certificate_names_a_consumer() {
    for (word, name) in [
        ("san-uri", CertificateName::SanUri),
        ("san-dns", CertificateName::SanDns),
        ("common-name", CertificateName::CommonName),
    ] {
        let fields = format!("client_certificate = \"{word}\"\ndefault_plan = \"free\"");
        let settings = settings(&with_certificates(&fields));
        assert_eq!(settings.identity.client_certificate, Some(name));
        let gateway = settings.gateway.unwrap();
        assert_eq!(gateway.client_ca, Some("c.pem".into()));
    }
}

#[test]
fn certificates_are_asked_for_and_named_or_neither() {
    let text = with_certificates("default_plan = \"free\"");
    assert_eq!(finding(&text), "4:52 client certificates would name nobody");
    assert_eq!(
        identity("client_certificate = \"san-dns\""),
        "2:22 no client is asked for a certificate"
    );
    let text = with_certificates("client_certificate = \"san-dns\"");
    assert_eq!(
        finding(&text),
        "6:22 consumers of `client_certificate` would have no plan"
    );
    let text = with_certificates("client_certificate = \"san_uri\"\ndefault_plan = \"free\"");
    assert_eq!(help(&text), "did you mean \"san-uri\"?");
}

#[test]
fn a_registry_gives_teams_and_organisations() {
    for part in ["consumer", "team", "org"] {
        let text = |source: &str| {
            format!(
                "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\
                 [identity]\n{source}\n[plans.anonymous]\npolicies = [\"@shared\"]\n\
                 [policies.shared]\nquota = \"9/min\"\npartition_by = [\"{part}\"]\n"
            )
        };
        assert_eq!(lines(&text("")).len(), 1, "{part}");
        settings(&text("registry = \"sqlite:consumers.db\""));
        settings(&text("lookup = { url = \"https://accounts.example/\" }"));
    }
}
