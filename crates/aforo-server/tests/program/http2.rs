//! HTTP/2, with and without TLS.

use std::process::Command;

use http::Response;
use http_body_util::{BodyExt, Full};

use crate::support::{Folder, Http2Client, Program, Upstream};

#[tokio::test]
async fn many_requests_share_one_connection() {
    let upstream = Upstream::answering(|seen| {
        Response::new(
            Full::from(format!(
                "{} {}",
                seen.target,
                seen.headers["host"].to_str().unwrap()
            ))
            .boxed(),
        )
    });
    let program = Program::before(upstream.address(), r#"["50/hour fixed-window"]"#);
    let client = Http2Client::connect(program.address()).await;
    let asked = (0..60).map(|number| {
        let mut client = client.clone();
        tokio::spawn(async move { (number, client.get(&format!("/{number}")).await) })
    });
    let mut passed = 0;
    for task in asked.collect::<Vec<_>>() {
        let (number, response) = task.await.unwrap();
        if response.status() == 200 {
            let expected = format!("/{number} {}", program.address());
            assert_eq!(response.body(), expected.as_bytes());
            passed += 1;
        } else {
            assert_eq!(response.status(), 429);
        }
    }
    assert_eq!(passed, 50);
}

#[test]
fn an_upstream_can_be_spoken_to_by_http_2() {
    let upstream = Upstream::serving(|request| async move {
        let body = format!("{:?} {}", request.version(), request.uri());
        Response::new(Full::from(body).boxed())
    });
    let program = Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"h2c://{}\"]\n\n\
         [plans.anonymous]\npolicies = [\"100/minute\"]\n",
        upstream.address()
    ));
    let mut client = program.client();
    for _ in 0..3 {
        let response = client.get("/a?b");
        assert_eq!(response.body, b"HTTP/2.0 http://api.example/a?b");
    }
}

#[test]
fn curl_speaks_to_it_over_tls() {
    let upstream = Upstream::new();
    let folder = Folder::new();
    let issued = rcgen::generate_simple_self_signed(["gateway.example".to_owned()]).unwrap();
    let cert = folder.put("cert.pem", &issued.cert.pem());
    let key = folder.put("key.pem", &issued.signing_key.serialize_pem());
    let program = Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n\
         tls = {{ cert = {cert:?}, key = {key:?} }}\n\n\
         [plans.anonymous]\npolicies = [\"2/hour fixed-window\"]\n",
        upstream.address()
    ));
    let port = program.address().port();
    let curl = |version: &str| {
        let output = Command::new("curl")
            .args(["--silent", "--show-error", version, "--cacert"])
            .arg(&cert)
            .args(["--resolve", &format!("gateway.example:{port}:127.0.0.1")])
            .args(["--write-out", " %{http_version} %{http_code}"])
            .arg(format!("https://gateway.example:{port}/a"))
            .output()
            .expect("curl is installed");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{stderr}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(curl("--http2"), "hello 2 200");
    assert_eq!(curl("--http1.1"), "hello 1.1 200");
    assert!(curl("--http2").ends_with(" 2 429"));
    let seen = &upstream.seen()[0];
    assert_eq!(seen.headers["x-forwarded-proto"], "https");
    assert_eq!(seen.headers["host"], format!("gateway.example:{port}"));
}

#[test]
fn curl_speaks_http_2_by_prior_knowledge() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), r#"["100/minute"]"#);
    let output = Command::new("curl")
        .args(["--silent", "--http2-prior-knowledge", "--data", "abc"])
        .args(["--write-out", " %{http_version} %{http_code}"])
        .arg(format!("http://{}/a", program.address()))
        .output()
        .expect("curl is installed");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "hello 2 200");
    assert_eq!(&upstream.seen()[0].body[..], b"abc");
}

#[tokio::test]
async fn a_drain_lets_streams_finish() {
    let (came, mut has_come) = tokio::sync::mpsc::unbounded_channel();
    let release = std::sync::Arc::new(tokio::sync::Notify::new());
    let released = std::sync::Arc::clone(&release);
    let upstream = Upstream::serving(move |_| {
        let (came, released) = (came.clone(), std::sync::Arc::clone(&released));
        async move {
            came.send(()).unwrap();
            released.notified().await;
            Response::new(Full::from("late").boxed())
        }
    });
    let mut program = Program::before(upstream.address(), r#"["100/minute"]"#);
    let mut client = Http2Client::connect(program.address()).await;
    let asked = tokio::spawn(async move { client.get("/").await });
    has_come.recv().await.unwrap();
    program.terminate();
    release.notify_one();
    assert_eq!(asked.await.unwrap().body(), "late");
    assert_eq!(program.ended().code(), Some(0));
}
