//! Secrets that are planted are nowhere in what the program writes.

use aforo_servers::Postgres;

use crate::scene::Scene;
use crate::support::{Program, Verdict};

const PASSWORD: &str = "pw-hunter2-of-the-database";
const BEARER: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ";
const ADMIN: &str = "admin-token-planted-0123456789";

/// Everything that was written.
#[derive(Default)]
struct Written(Vec<u8>);

impl Written {
    fn add(&mut self, verdict: &Verdict) {
        self.0.extend(verdict.stdout.as_bytes());
        self.0.extend(verdict.stderr.as_bytes());
    }

    fn has(&self, secret: &str) -> bool {
        let mut places = self.0.windows(secret.len());
        places.any(|place| place == secret.as_bytes())
    }
}

/// Requests with secrets wherever a credential may be, and where none belongs.
fn ask(program: &Program, keys: &[&str]) {
    let mut heads = vec![
        format!("authorization: Bearer {BEARER}"),
        format!("authorization: Bearer {ADMIN}"),
        format!("authorization: Basic {ADMIN}"),
        format!("authorization: {BEARER} {ADMIN}"),
        format!("x-api-key: {ADMIN}\r\nx-api-key: {BEARER}"),
        format!("cookie: session={BEARER}"),
    ];
    for key in keys {
        heads.push(format!("x-api-key: {key}"));
        heads.push(format!("authorization: Bearer {key}"));
        heads.push(format!(
            "x-api-key: {key}\r\nauthorization: Bearer {BEARER}"
        ));
        heads.push(format!("x-api-key: {key} {key}"));
    }
    for head in heads {
        let mut client = program.client();
        client.send(format!("GET / HTTP/1.1\r\nhost: a\r\n{head}\r\n\r\n"));
        assert!(client.response().status < 500, "{head}");
    }
}

#[test]
fn no_secret_is_written_anywhere() {
    let scene = Scene::sqlite();
    let key = scene.key_of("acme");
    let rotated = scene.json(&["rotate-key", &key, "--grace", "1h"]);
    let new = rotated["new"]["api_key"].as_str().unwrap().to_owned();
    let mut written = Written::default();

    let program = Program::run(&["--log", "trace", &scene.file]);
    ask(&program, &[&key, &new]);
    assert_eq!(scene.command(&["revoke-key", &new]).code, 0);
    ask(&program, &[&key, &new]);
    let log = program.log();
    assert!(log.contains("listening"), "{log}");
    written.0.extend(log.as_bytes());
    drop(program);

    let slips: [&[&str]; 10] = [
        &["show", &key],
        &["create", &key],
        &["create", "b", "--contact", &key],
        &["set-plan", "acme", &key],
        &["issue-key", "acme", "--label", &key],
        &["issue-key", "acme", "--expires", &key],
        &["revoke-key", "acme", &key],
        &["override", "acme", &key, "1/day"],
        &["override", "acme", "pro-hour", &key],
        &["rotate-key", &key, "--grace", &key],
    ];
    for slip in slips {
        let verdict = scene.command(slip);
        assert!(verdict.code > 0, "{slip:?}");
        written.add(&verdict);
    }
    for told in [
        &["show", "acme"][..],
        &["list"],
        &["audit"],
        &["revoke-key", &key],
    ] {
        written.add(&scene.command(&[told, &["--log", "trace"]].concat()));
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&scene.folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("consumers.db") {
            written.0.extend(std::fs::read(&path).unwrap());
        }
        files.push(name);
    }
    assert!(files.contains(&"consumers.db".to_owned()), "{files:?}");
    let secrets = [&key, &new].map(|key| key.rsplit('_').next().unwrap().to_owned());
    for secret in secrets.iter().map(String::as_str).chain([BEARER, ADMIN]) {
        assert!(!written.has(secret), "{secret}");
    }
    let id = key.rsplit_once('_').unwrap().0;
    assert!(
        written.has(id),
        "the public id is there, so the search finds what is there"
    );
}

#[test]
fn the_databases_password_is_written_nowhere() {
    let server = Postgres::start();
    let right = server
        .url()
        .replace("postgres@", &format!("postgres:{PASSWORD}@"));
    let addresses = [
        right.clone(),
        right.replace("/postgres?", "/no-such-database?"),
        right.replace("//postgres:", "//no-such-user:"),
        format!("postgres:aforo:{PASSWORD}@db/aforo"),
        format!("postgres:/aforo:{PASSWORD}@db/aforo"),
        format!("postgres://aforo:{PASSWORD}@127.0.0.1:1/aforo"),
        format!("postgres://aforo:{PASSWORD}@no.such.host.invalid/aforo"),
        format!("postgres://aforo:{PASSWORD}@127.0.0.1:port/aforo"),
        format!("redis://aforo:{PASSWORD}@127.0.0.1/0"),
    ];
    let mut written = Written::default();
    for address in &addresses {
        let scene = Scene::at(Some(address));
        let check = Verdict::of(&["check", &scene.file]);
        let is_wrong = check.code == 2;
        written.add(&check);
        written.add(&scene.command(&["list", "--log", "trace"]));
        let flag = ["consumer", "list", "--registry", address, "--log", "trace"];
        written.add(&Verdict::of(&flag));
        if is_wrong {
            written.add(&Verdict::of(&["run", "--log", "trace", &scene.file]));
            continue;
        }
        let program = Program::run(&["--log", "trace", &scene.file]);
        ask(
            &program,
            &["aforo_abcdefghijkm_abcdefghijkmnpqrstuvwxyz23456789"],
        );
        written.0.extend(program.log().as_bytes());
    }
    assert!(!written.has(PASSWORD));
    assert!(written.has("the registry"), "something was said of it");
}
