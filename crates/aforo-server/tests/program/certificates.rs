//! Client certificates through the running gateway, over TLS.

use rcgen::{CertificateParams, DnType, date_time_ymd};

use crate::authority::{Authority, Certified, of_uris, quoted, unnamed};
use crate::support::{Folder, Program};

const BILLING: &str = "spiffe://example/billing";

struct Scene {
    folder: Folder,
    authority: Authority,
    program: Program,
}

impl Scene {
    /// A gateway that asks for certificates. `billing` is a consumer of the file with two requests
    /// an hour, others of the authority have three, and strangers one; acme's API key is `test`.
    fn new(name: &str, more: &str) -> Self {
        let folder = Folder::new();
        let authority = Authority::new(&folder, "authority");
        let server = authority.server(&folder);
        let program = Program::with_file(&format!(
            r#"
[gateway]
listen = "127.0.0.1:0"
upstream = ["builtin:echo"]
tls = {{ cert = {cert}, key = {key}, client_ca = {authority} }}

[identity]
client_certificate = "{name}"
default_plan = "free"
{more}

[plans.anonymous]
policies = ["1/hour fixed-window"]

[plans.free]
policies = ["3/hour fixed-window"]

[plans.pro]
policies = ["2/hour fixed-window"]

[[consumers]]
id = "{BILLING}"
plan = "pro"

[[consumers]]
id = "acme"
plan = "pro"
api_key_sha256 = ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
"#,
            cert = quoted(&server.cert),
            key = quoted(&server.key),
            authority = quoted(&authority.file),
        ));
        Self {
            folder,
            authority,
            program,
        }
    }

    fn issue(&self, file: &str, params: &CertificateParams) -> Certified {
        self.authority.issue(&self.folder, file, params)
    }

    /// Status and consumer of an answer.
    fn ask(&self, client: Option<&Certified>, arguments: &[&str]) -> (u16, Option<String>) {
        let told = self.authority.ask(&self.program, client, arguments);
        let body: serde_json::Value = serde_json::from_str(&told.body).unwrap();
        let consumer = body.get("consumer").and_then(|id| id.as_str());
        (told.status.unwrap(), consumer.map(str::to_owned))
    }

    /// Whether there was no connection at all.
    fn turns_away(&self, client: &Certified) -> bool {
        let told = self.authority.ask(&self.program, Some(client), &[]);
        told.status.is_none()
    }
}

fn ok(consumer: &str) -> (u16, Option<String>) {
    (200, Some(consumer.to_owned()))
}

#[test]
fn a_certificate_names_a_consumer_of_the_file_and_its_plan() {
    let scene = Scene::new("san-uri", "");
    let billing = scene.issue("billing", &of_uris(&[BILLING]));
    assert_eq!(scene.ask(Some(&billing), &["--http2"]), ok(BILLING));
    assert_eq!(scene.ask(Some(&billing), &["--http1.1"]), ok(BILLING));
    assert_eq!(scene.ask(Some(&billing), &[]).0, 429);
    // Another certificate of the same name is the same consumer.
    let renewed = scene.issue("renewed", &of_uris(&[BILLING]));
    assert_eq!(scene.ask(Some(&renewed), &[]).0, 429);
    assert_eq!(scene.ask(None, &[]), (200, None));
    assert_eq!(scene.ask(None, &[]).0, 429);
}

#[test]
fn a_name_of_no_known_consumer_has_the_default_plan_and_a_bucket_of_its_own() {
    let scene = Scene::new("san-dns", "");
    for host in ["One.example", "two.example"] {
        let mut params = unnamed();
        let name = rcgen::string::Ia5String::try_from(host).unwrap();
        params.subject_alt_names = vec![rcgen::SanType::DnsName(name)];
        let client = scene.issue(host, &params);
        for _ in 0..3 {
            assert_eq!(
                scene.ask(Some(&client), &[]),
                ok(&host.to_ascii_lowercase())
            );
        }
        assert_eq!(scene.ask(Some(&client), &[]).0, 429);
    }
}

#[test]
fn one_without_the_name_or_with_two_is_unrecognised() {
    let scene = Scene::new("common-name", "");
    let nameless = scene.issue("nameless", &of_uris(&[BILLING]));
    let mut params = unnamed();
    params.distinguished_name.push(DnType::CommonName, "ci");
    let named = scene.issue("named", &params);
    assert_eq!(scene.ask(Some(&named), &[]), ok("ci"));
    assert_eq!(scene.ask(Some(&nameless), &[]), (200, None));
    let denied = scene.authority.ask(&scene.program, Some(&nameless), &[]);
    assert_eq!(denied.status, Some(429));
    assert!(
        denied.body.contains(r#""credential":"unrecognised""#),
        "{denied:?}"
    );

    let scene = Scene::new("san-uri", "");
    let twofold = scene.issue("twofold", &of_uris(&[BILLING, "spiffe://example/other"]));
    assert_eq!(scene.ask(Some(&twofold), &[]), (200, None));
}

#[test]
fn certificates_that_do_not_verify_get_no_connection() {
    let scene = Scene::new("san-uri", "");
    let other = Authority::new(&scene.folder, "other");
    let foreign = other.issue(&scene.folder, "foreign", &of_uris(&[BILLING]));
    assert!(scene.turns_away(&foreign));
    // Its issuer has the right name and the wrong key.
    let folder = Folder::new();
    let forged = Authority::new(&folder, "authority");
    let forged = forged.issue(&folder, "forged", &of_uris(&[BILLING]));
    assert!(scene.turns_away(&forged));
    let mut params = of_uris(&[BILLING]);
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2020, 2, 1);
    assert!(scene.turns_away(&scene.issue("expired", &params)));
    params.not_before = date_time_ymd(2999, 1, 1);
    params.not_after = date_time_ymd(2999, 2, 1);
    assert!(scene.turns_away(&scene.issue("early", &params)));
    let mut params = of_uris(&[BILLING]);
    params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ServerAuth];
    assert!(scene.turns_away(&scene.issue("of-a-server", &params)));
    let billing = scene.issue("billing", &of_uris(&[BILLING]));
    assert_eq!(scene.ask(Some(&billing), &[]), ok(BILLING));
}

#[test]
fn an_api_key_that_verifies_comes_before_the_certificate() {
    let scene = Scene::new("san-uri", "");
    let billing = scene.issue("billing", &of_uris(&[BILLING]));
    let keyed = ["--header", "x-api-key: test"];
    assert_eq!(scene.ask(Some(&billing), &keyed), ok("acme"));
    let bad = ["--header", "x-api-key: guessed"];
    assert_eq!(scene.ask(Some(&billing), &bad), ok(BILLING));
}

#[test]
fn a_trusted_peer_names_another_than_its_certificate() {
    let more = "trusted_proxies = [\"loopback\"]\nverified_header = \"x-consumer\"";
    let scene = Scene::new("san-uri", more);
    let proxy = scene.issue("proxy", &of_uris(&["spiffe://example/proxy"]));
    let named = ["--header", "x-consumer: globex"];
    assert_eq!(scene.ask(Some(&proxy), &named), ok("globex"));
    assert_eq!(scene.ask(Some(&proxy), &[]), ok("spiffe://example/proxy"));
}

#[test]
fn callers_without_a_certificate_can_be_turned_away() {
    let scene = Scene::new("san-uri", "anonymous = \"deny\"");
    assert_eq!(scene.ask(None, &[]).0, 401);
    let billing = scene.issue("billing", &of_uris(&[BILLING]));
    assert_eq!(scene.ask(Some(&billing), &[]), ok(BILLING));
}

#[test]
fn no_header_is_a_certificate() {
    let scene = Scene::new("san-uri", "");
    let pem =
        "x-forwarded-client-cert: Hash=00;Subject=\"CN=billing\";URI=spiffe://example/billing";
    let headers = [
        pem,
        "x-client-cert: spiffe://example/billing",
        "x-ssl-client-s-dn: CN=spiffe://example/billing",
        "client-cert: :MIIB:",
        "client_certificate: spiffe://example/billing",
        "x-consumer-id: spiffe://example/billing",
    ];
    let statuses = headers.map(|header| scene.ask(None, &["--header", header]));
    assert_eq!(statuses[0], (200, None));
    for status in &statuses[1..] {
        assert_eq!(status.0, 429);
    }
    let billing = scene.issue("billing", &of_uris(&[BILLING]));
    for _ in 0..2 {
        assert_eq!(scene.ask(Some(&billing), &[]), ok(BILLING));
    }
}
