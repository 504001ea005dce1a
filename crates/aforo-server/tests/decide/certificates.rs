//! Listeners that only clients with a certificate reach.

use std::process::Command;

use crate::authority::{Authority, Certified, quoted, unnamed};
use crate::support::{Folder, Program};

struct Scene {
    folder: Folder,
    authority: Authority,
    program: Program,
}

fn scene() -> Scene {
    let folder = Folder::new();
    let authority = Authority::new(&folder, "authority");
    let server = authority.server(&folder);
    let program = Program::with_file(&format!(
        "[decide]\nresp = \"0.0.0.0:0\"\ngrpc = \"0.0.0.0:0\"\n\
         tls = {{ cert = {}, key = {}, client_ca = {} }}\n",
        quoted(&server.cert),
        quoted(&server.key),
        quoted(&authority.file)
    ));
    Scene {
        folder,
        authority,
        program,
    }
}

/// A client that trusts the server's authority, with a certificate of its own or without.
fn trusting(mut command: Command, scene: &Scene, own: Option<&Certified>) -> Command {
    command.arg("--cacert").arg(&scene.authority.file);
    if let Some(own) = own {
        command.arg("--cert").arg(&own.cert);
        command.arg("--key").arg(&own.key);
    }
    command
}

fn clients(scene: &Scene) -> (Certified, Certified) {
    let own = scene.authority.issue(&scene.folder, "own", &unnamed());
    let others = Authority::new(&scene.folder, "others");
    let foreign = others.issue(&scene.folder, "foreign", &unnamed());
    (own, foreign)
}

#[test]
fn redis_clients_show_a_certificate() {
    let scene = scene();
    let (own, foreign) = clients(&scene);
    let ping = |certificate: Option<&Certified>| {
        let mut command = Command::new("redis-cli");
        let port = scene.program.service("resp").port().to_string();
        command.args(["-h", "127.0.0.1", "-p", &port, "--tls"]);
        let mut asked = trusting(command, &scene, certificate);
        asked.arg("PING");
        String::from_utf8(asked.output().unwrap().stdout).unwrap()
    };
    assert_eq!(ping(Some(&own)), "PONG\n");
    assert_ne!(ping(None), "PONG\n");
    assert_ne!(ping(Some(&foreign)), "PONG\n");
}

#[test]
fn grpc_clients_show_a_certificate() {
    let scene = scene();
    let (own, foreign) = clients(&scene);
    // A health check of the whole server: an empty message.
    let body = scene.folder.put("body", "\0\0\0\0\0");
    let health = |certificate: Option<&Certified>| {
        let mut command = Command::new("curl");
        command.args([
            "-s",
            "--http2",
            "-H",
            "content-type: application/grpc",
            "-H",
            "te: trailers",
        ]);
        command
            .arg("--data-binary")
            .arg(format!("@{}", body.display()));
        let port = scene.program.service("grpc").port();
        command
            .arg("--resolve")
            .arg(format!("gateway.example:{port}:127.0.0.1"));
        command.arg(format!(
            "https://gateway.example:{port}/grpc.health.v1.Health/Check"
        ));
        trusting(command, &scene, certificate)
            .output()
            .unwrap()
            .stdout
    };
    // A message of two bytes: status SERVING.
    assert_eq!(health(Some(&own)), [0, 0, 0, 0, 2, 8, 1]);
    assert_eq!(health(None), [0; 0]);
    assert_eq!(health(Some(&foreign)), [0; 0]);
}
