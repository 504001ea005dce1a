//! Who may ask.

use crate::says;
use crate::support::{Folder, Program, Verdict};

const TOKEN: &str = "[decide]\nresp = \"127.0.0.1:0\"\ntoken = { env = \"ASKING\" }\n";

fn guarded() -> Program {
    Program::with_variables(TOKEN, &[("ASKING", "hunter2")])
}

#[test]
fn redis_clients_show_the_token_first() {
    let program = guarded();
    let mut client = program.client_of("resp");
    for command in [
        "PING",
        "CL.THROTTLE a 1 1 1",
        "AFORO.DECIDE a b",
        "INFO",
        "COMMAND",
    ] {
        let sent = format!("{command}\r\n");
        says(&mut client, &sent, "-NOAUTH Authentication required.\r\n");
    }
    says(
        &mut client,
        "HELLO 3\r\n",
        "-NOAUTH HELLO must be called with AUTH, or after it\r\n",
    );
    says(
        &mut client,
        "AUTH hunter3\r\n",
        "-WRONGPASS this is not the token\r\n",
    );
    says(&mut client, "AUTH hunter2\r\n", "+OK\r\n");
    says(&mut client, "PING\r\n", "+PONG\r\n");
    let mut client = program.client_of("resp");
    says(&mut client, "HELLO 3 AUTH default hunter2\r\n", "%6\r\n");
    let mut client = program.client_of("resp");
    says(&mut client, "AUTH default hunter2\r\n", "+OK\r\n");
}

#[test]
fn guessing_ends_the_connection() {
    let program = guarded();
    let mut client = program.client_of("resp");
    client.send("AUTH a\r\nHELLO 2 AUTH u b\r\nAUTH c\r\nAUTH hunter2\r\n");
    let told = client.rest();
    assert_eq!(
        told,
        "-WRONGPASS this is not the token\r\n".repeat(3).as_bytes()
    );
}

#[test]
fn a_service_without_a_token_asks_for_none() {
    let program = crate::redis();
    says(
        &mut program.client_of("resp"),
        "AUTH hunter2\r\n",
        "-ERR no token is asked for; leave AUTH out\r\n",
    );
}

#[test]
fn it_does_not_start_without_what_it_needs() {
    let folder = Folder::new();
    let refused = |text: &str, code: i32, said: &str| {
        let file = folder.put("aforo.toml", text);
        let verdict = Verdict::of(&["run".as_ref(), file.as_os_str()]);
        assert_eq!(verdict.code, code, "{}", verdict.stderr);
        assert!(verdict.stderr.contains(said), "{}", verdict.stderr);
    };
    refused(
        "[decide]\nresp = \"0.0.0.0:0\"\n",
        2,
        "anybody who reaches `0.0.0.0:0` may ask",
    );
    refused(
        "[decide]\nresp = \"127.0.0.1:0\"\ntoken = { env = \"AFORO_NO_SUCH_VARIABLE\" }\n",
        1,
        "the variable AFORO_NO_SUCH_VARIABLE is not set",
    );
    refused(
        "[decide]\nresp = \"127.0.0.1:0\"\ntls = { cert = \"/nowhere\", key = \"/nowhere\" }\n",
        1,
        "cannot read /nowhere",
    );
    refused(
        "[plans.anonymous]\npolicies = [\"1/s\"]\n",
        2,
        "the file has neither [gateway] nor [decide]",
    );
}
