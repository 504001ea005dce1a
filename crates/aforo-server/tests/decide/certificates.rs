//! Listeners that only clients with a certificate reach.

use std::process::Command;

use prost::Message as _;

use crate::authority::{Authority, Certified, quoted, unnamed};
use crate::grpc_client::{RateLimitResponse, descriptor, request};
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
        "[decide]\nresp = \"0.0.0.0:0\"\ngrpc = \"0.0.0.0:0\"\nhttp = \"0.0.0.0:0\"\n\
         tls = {{ cert = {}, key = {}, client_ca = {} }}\n\
         [policies.mails]\nquota = \"3/hour fixed-window\"\n\
         [[descriptors]]\ndomain = \"web\"\nentries = [{{ key = \"user\" }}]\n\
         policies = [\"1/hour fixed-window\"]\n",
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

/// What a client is answered by one of the listeners, called by its name.
fn answered(
    scene: &Scene,
    service: &str,
    path: &str,
    arguments: &[&str],
    own: Option<&Certified>,
) -> Vec<u8> {
    let port = scene.program.service(service).port();
    let mut command = Command::new("curl");
    command.arg("-s").args(arguments).arg("--resolve");
    command.arg(format!("gateway.example:{port}:127.0.0.1"));
    command.arg(format!("https://gateway.example:{port}{path}"));
    trusting(command, scene, own).output().unwrap().stdout
}

fn grpc(scene: &Scene, path: &str, message: &[u8], own: Option<&Certified>) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    let body = [&[0], &length[..], message].concat();
    let body = format!("@{}", scene.folder.put_bytes("body", &body).display());
    let fields = ["content-type: application/grpc", "te: trailers"];
    let arguments = [
        "--http2",
        "-H",
        fields[0],
        "-H",
        fields[1],
        "--data-binary",
        &body,
    ];
    answered(scene, "grpc", path, &arguments, own)
}

#[test]
fn grpc_clients_show_a_certificate() {
    let scene = scene();
    let (own, foreign) = clients(&scene);
    // A health check of the whole server: an empty message.
    let health = |own| grpc(&scene, "/grpc.health.v1.Health/Check", &[], own);
    // A message of two bytes: status SERVING.
    assert_eq!(health(Some(&own)), [0, 0, 0, 0, 2, 8, 1]);
    assert_eq!(health(None), [0; 0]);
    assert_eq!(health(Some(&foreign)), [0; 0]);
}

#[test]
fn a_gateway_asks_over_tls() {
    let scene = scene();
    let (own, _) = clients(&scene);
    let message = request("web", vec![descriptor(&[("user", "ana")])]).encode_to_vec();
    let path = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    let codes = [(); 2].map(|()| {
        let answer = grpc(&scene, path, &message, Some(&own));
        RateLimitResponse::decode(&answer[5..])
            .unwrap()
            .overall_code
    });
    assert_eq!(codes, [1, 2], "OK, then OVER_LIMIT");
}

#[test]
fn http_clients_show_a_certificate() {
    let scene = scene();
    let (own, foreign) = clients(&scene);
    let ask = |protocol: &str, own: Option<&Certified>| {
        let body = r#"{"policy":"mails","partition":"ana"}"#;
        let field = "content-type: application/json";
        answered(
            &scene,
            "http",
            "/v1/decide",
            &[protocol, "-H", field, "-d", body],
            own,
        )
    };
    for (protocol, left) in [("--http1.1", 2), ("--http2", 1), ("--http1.1", 0)] {
        let told: serde_json::Value = serde_json::from_slice(&ask(protocol, Some(&own))).unwrap();
        assert_eq!(told["allowed"], true, "{protocol}");
        assert_eq!(told["policies"][0]["remaining"], left, "{protocol}");
    }
    assert_eq!(ask("--http1.1", None), [0; 0]);
    assert_eq!(ask("--http2", Some(&foreign)), [0; 0]);
}
