//! A gateway that finds its consumers in the registry.

use aforo_servers::{Postgres, until};
use serde_json::json;

use crate::scene::{Scene, plan};

fn keys_come_and_go(scene: &Scene) {
    let gateway = scene.gateway();
    assert_eq!(plan(&gateway, "aforo_abcdefghijkm_made-up"), "anonymous");
    let key = scene.key_of("acme");
    assert_eq!(plan(&gateway, &key), "pro");
    let globex = scene.key_of("globex");
    assert_eq!(scene.command(&["set-plan", "globex", "--default"]).code, 0);
    until("the default plan", || plan(&gateway, &globex) == "free");
    let issued = scene.command(&["revoke-key", &key]);
    assert_eq!(issued.code, 0, "{}", issued.stderr);
    until("the end of the key", || plan(&gateway, &key) == "anonymous");
    assert_eq!(plan(&gateway, &globex), "free", "nobody else's");
}

#[test]
fn keys_of_a_file_come_and_go() {
    keys_come_and_go(&Scene::sqlite());
}

#[test]
fn keys_of_a_server_come_and_go() {
    let server = Postgres::start();
    keys_come_and_go(&Scene::at(Some(&server.url())));
}

#[test]
fn a_registry_that_is_down_does_not_hinder_the_start() {
    let scene = Scene::at(Some("postgres://nobody@127.0.0.1:1/none"));
    let gateway = scene.gateway();
    assert_eq!(plan(&gateway, "aforo_abcdefghijkm_made-up"), "anonymous");
}

#[test]
fn a_start_with_an_empty_registry_is_told_and_one_with_a_consumer_is_not() {
    let scene = Scene::sqlite();
    let empty = scene.gateway();
    assert!(
        empty.log().contains("the registry has no consumers"),
        "{}",
        empty.log()
    );
    scene.key_of("acme");
    let filled = scene.gateway();
    let log = filled.whole_log();
    assert!(!log.contains("no consumers"), "{log}");
}

#[test]
fn a_consumer_of_a_trusted_peer_has_the_plan_of_the_registry() {
    let scene = Scene::sqlite();
    scene.key_of("acme");
    let gateway =
        scene.gateway_with("trusted_proxies = [\"loopback\"]\nverified_header = \"x-consumer\"");
    let plan = |id: &str| {
        let fields = format!("x-consumer: {id}\r\n");
        let response = gateway.client().ask("GET", "/", &fields);
        let policy = response.field("x-ratelimit-policy").unwrap().to_owned();
        policy.split(';').next().unwrap().to_owned()
    };
    assert_eq!(plan("acme"), "pro");
    assert_eq!(plan("globex"), "free");
}

#[test]
fn a_consumer_that_another_gateway_names_has_the_plan_of_the_registry() {
    let scene = Scene::sqlite();
    scene.key_of("acme");
    let gateway = scene.gateway_of(|text| text + "\n[decide]\nhttp = \"127.0.0.1:0\"\n");
    let plan = |id: &str| {
        let facts = json!({ "path": "/", "address": "192.0.2.7", "consumer": { "id": id } });
        let body = json!({ "request": facts }).to_string();
        let mut client = gateway.client_of("http");
        client.send(format!(
            "POST /v1/decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        ));
        client.response().json()["plan"].clone()
    };
    assert_eq!(["acme", "acme", "globex"].map(plan), ["pro", "pro", "free"]);
}
