//! A store that several instances share, behind both protocols.

use aforo_servers::Redis;

use crate::grpc_client::{Client, descriptor, request};
use crate::says;
use crate::support::Program;

const KEY: &str = "000102030405060708090a0b0c0d0e0f";

fn instance(server: &Redis, more: &str) -> Program {
    Program::sharing(
        &format!(
            "[decide]\nresp = \"127.0.0.1:0\"\ngrpc = \"127.0.0.1:0\"\n\
             [stores.default]\nurl = \"{}\"\ntimeout = \"2s\"\n{more}\n\
             [policies.exports]\nquota = \"3/day burst 3\"\n\
             [[descriptors]]\ndomain = \"d\"\nentries = [{{ key = \"a\" }}]\n\
             policies = [\"3/day burst 3\"]\n",
            server.url()
        ),
        KEY,
    )
}

#[test]
fn two_instances_have_one_quota() {
    let server = Redis::start();
    let (one, other) = (instance(&server, ""), instance(&server, ""));
    let ask = "CL.THROTTLE user 1 1 86400\r\n";
    says(
        &mut one.client_of("resp"),
        ask,
        "*5\r\n:0\r\n:2\r\n:1\r\n:-1\r\n",
    );
    says(
        &mut other.client_of("resp"),
        ask,
        "*5\r\n:0\r\n:2\r\n:0\r\n:-1\r\n",
    );
    says(&mut one.client_of("resp"), ask, "*5\r\n:1\r\n:2\r\n:0\r\n");
}

#[test]
fn a_pipeline_is_asked_at_once_and_answered_in_order() {
    let server = Redis::start();
    let program = instance(&server, "");
    let mut client = program.client_of("resp");
    // Questions, answers that are there at once, and errors, more than are asked at once.
    let mut sent = String::new();
    let mut expected = String::new();
    for number in 0..200 {
        sent.push_str(&format!("AFORO.DECIDE exports user{number} 3\r\n"));
        expected.push_str("*5\r\n:0\r\n:3\r\n:0\r\n:-1\r\n:86400\r\n");
        if number % 3 == 0 {
            sent.push_str(&format!("PING {number}\r\n"));
            let text = number.to_string();
            expected.push_str(&format!("${}\r\n{text}\r\n", text.len()));
        }
        if number % 7 == 0 {
            sent.push_str("AFORO.DECIDE nothing x\r\n");
            expected.push_str("-ERR there is no such policy; name it in [policies]\r\n");
        }
    }
    sent.push_str("QUIT\r\n");
    expected.push_str("+OK\r\n");
    client.send(&sent);
    let told = client.rest();
    assert_eq!(String::from_utf8_lossy(&told), expected);
}

#[tokio::test]
async fn a_failed_store_does_what_the_file_says() {
    for (says, code) in [("deny", 2), ("allow", 1), ("local", 1)] {
        let server = Redis::start();
        let more = format!("on_store_failure = \"{says}\"");
        let program = instance(&server, &more);
        let mut client = Client::of(&program).await;
        let ask = || request("d", vec![descriptor(&[("a", "b")])]);
        assert_eq!(client.codes(ask()).await, (1, vec![1]));
        drop(server);
        let answer = client.ask(ask()).await.unwrap();
        assert_eq!(answer.overall_code, code, "{says}");
        if says == "deny" {
            let body: serde_json::Value = serde_json::from_slice(&answer.raw_body).unwrap();
            assert_eq!(body["status"], 503);
        }
    }
}
