//! A lookup's endpoint over TLS, asked by the running gateway.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use rcgen::date_time_ymd;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use crate::authority::{Authority, Certified, unnamed};
use crate::support::{Folder, Program};

/// An endpoint that says over TLS of every key that it is acme's, of the plan `pro`; its port.
fn endpoint(certified: &Certified) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = config(&certified.cert, &certified.key);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            answer(StreamOwned::new(connection, stream.unwrap()));
        }
    });
    port
}

fn config(cert: &Path, key: &Path) -> Arc<ServerConfig> {
    let chain = vec![CertificateDer::from_pem_file(cert).unwrap()];
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    Arc::new(
        config
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap(),
    )
}

/// A client that does not trust us hangs up early.
fn answer(mut stream: impl Read + Write) {
    let mut asked = Vec::new();
    let mut some = [0; 1024];
    while !asked.ends_with(b"\"}") {
        match stream.read(&mut some) {
            Ok(read @ 1..) => asked.extend_from_slice(&some[..read]),
            _ => return,
        }
    }
    let body = "{\"consumer\":\"acme\",\"plan\":\"pro\"}";
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
    let _ = stream.flush();
}

/// The plan that a key has when the endpoint is asked as `host`, and this authority is trusted.
fn plan(port: u16, host: &str, trusted: &Path) -> String {
    let text = format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
         [identity]\nlookup = {{ url = \"https://{host}:{port}/keys\" }}\n\n\
         [plans.anonymous]\npolicies = [\"3/hour\"]\n[plans.pro]\npolicies = [\"2/hour\"]\n"
    );
    let program = Program::with_variables(&text, &[("SSL_CERT_FILE", trusted.to_str().unwrap())]);
    let response = program.client().ask("GET", "/", "x-api-key: planted\r\n");
    assert_eq!(response.status, 200);
    assert!(!program.whole_log().contains("planted"));
    let policy = response.field("x-ratelimit-policy").unwrap();
    policy.split(';').next().unwrap().to_owned()
}

#[test]
fn an_endpoint_is_believed_only_with_a_certificate_that_holds() {
    let folder = Folder::new();
    let authority = Authority::new(&folder, "authority");
    let other = Authority::new(&folder, "other");
    let mut params = unnamed();
    let name = rcgen::string::Ia5String::try_from("localhost").unwrap();
    params.subject_alt_names = vec![rcgen::SanType::DnsName(name)];
    let port = endpoint(&authority.issue(&folder, "endpoint", &params));
    assert_eq!(plan(port, "localhost", &authority.file), "pro");
    assert_eq!(plan(port, "localhost", &other.file), "anonymous");
    assert_eq!(plan(port, "127.0.0.1", &authority.file), "anonymous");
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2020, 2, 1);
    let port = endpoint(&authority.issue(&folder, "expired", &params));
    assert_eq!(plan(port, "localhost", &authority.file), "anonymous");
}
