//! Field cases about who a caller is and what is counted, through the running gateway.

use crate::support::Program;

fn gateway(tables: &str) -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n{tables}\n"
    ))
}

fn ask(program: &Program, local: &str, target: &str, fields: &str) -> u16 {
    program.client_from(local).ask("GET", target, fields).status
}

fn forwarded(addresses: &str) -> String {
    format!("x-forwarded-for: {addresses}\r\n")
}

const THREE: &str = "[plans.anonymous]\npolicies = [\"3/hour fixed-window\"]";
const TWO: &str = "[plans.anonymous]\npolicies = [\"2/hour fixed-window\"]";

#[test]
fn rl_02_a_load_balancer_that_nobody_trusts_is_named_once() {
    let program = gateway(THREE);
    let statuses = [1, 2, 3, 4].map(|user| {
        ask(
            &program,
            "127.0.0.9",
            "/",
            &forwarded(&format!("203.0.113.{user}")),
        )
    });
    assert_eq!(statuses, [200, 200, 200, 429]);
    let named = |log: String| log.matches("peer=127.0.0.9").count();
    aforo_servers::until("the warning", || named(program.log()) == 1);
    let trust = "[identity]\ntrusted_proxies = [\"127.0.0.0/8\"]";
    let program = gateway(&format!("{trust}\n{THREE}"));
    for user in 1..=4 {
        let fields = forwarded(&format!("203.0.113.{user}"));
        let response = program.client_from("127.0.0.9").ask("GET", "/", &fields);
        assert_eq!(response.field("x-ratelimit-remaining"), Some("2"));
    }
    assert_eq!(named(program.whole_log()), 0);
}

#[test]
fn rl_11_callers_without_the_part_are_ten_callers() {
    for (when_missing, expected) in [("caller", 200), ("skip", 200), ("deny", 400)] {
        let program = gateway(&format!(
            "[plans.anonymous]\npolicies = [\"@tenant\"]\n\
             [policies.tenant]\nquota = \"5/hour fixed-window\"\n\
             partition_by = [\"header:x-tenant\"]\nwhen_missing = \"{when_missing}\""
        ));
        for host in 1..=10 {
            assert_eq!(ask(&program, &format!("127.0.0.{host}"), "/", ""), expected);
        }
    }
}

#[test]
fn rl_23_hops_are_counted_from_the_right_and_too_few_are_the_peer() {
    let program = gateway(&format!("[identity]\ntrusted_hops = 1\n{TWO}"));
    for user in ["203.0.113.1", "203.0.113.9"] {
        let statuses = [1, 2, 3].map(|_| ask(&program, "127.0.0.9", "/", &forwarded(user)));
        assert_eq!(statuses, [200, 200, 429]);
    }
    let program = gateway(&format!("[identity]\ntrusted_hops = 2\n{TWO}"));
    let fields = [
        forwarded("203.0.113.1"),
        String::new(),
        forwarded("203.0.113.2"),
    ];
    let statuses = fields.map(|fields| ask(&program, "127.0.0.9", "/", &fields));
    assert_eq!(statuses, [200, 200, 429], "all are the peer");
    let trust = "trusted_hops = 1\nforwarded_header = \"cf-connecting-ip\"";
    let program = gateway(&format!("[identity]\n{trust}\n{TWO}"));
    let statuses = [1, 2, 3].map(|typed| {
        let typed = forwarded(&format!("203.0.113.{typed}"));
        let fields = format!("cf-connecting-ip: 198.51.100.7\r\n{typed}");
        ask(&program, "127.0.0.9", "/", &fields)
    });
    assert_eq!(statuses, [200, 200, 429]);
}

#[test]
fn rl_27_case_and_trailing_slash_share_one_bucket() {
    let program = gateway(
        "[paths]\ncase_sensitive = false\ntrailing_slash = \"ignore\"\n\
         [plans.anonymous]\npolicies = []\n\
         [[routes]]\nmatch = \"/lang\"\npolicies = [\"3/hour fixed-window\"]",
    );
    let mut client = program.client();
    let mut statuses = Vec::new();
    for target in ["/lang", "/LANG", "/lang/"] {
        statuses.extend((0..8).map(|_| client.get(target).status));
    }
    assert_eq!(statuses[..3], [200, 200, 200]);
    assert_eq!(statuses[3..], [429; 21]);
}

#[test]
fn rl_33_two_routes_with_the_same_numbers_count_apart_and_one_name_counts_once() {
    let routes = |policy: &str| {
        format!(
            "[plans.anonymous]\npolicies = []\n\
             [policies.shared]\nquota = \"3/hour fixed-window\"\npartition_by = [\"client_ip\"]\n\
             [[routes]]\nmatch = \"/a\"\npolicies = [\"{policy}\"]\n\
             [[routes]]\nmatch = \"/b\"\npolicies = [\"{policy}\"]"
        )
    };
    let apart = gateway(&routes("3/hour fixed-window"));
    let mut client = apart.client();
    for target in ["/a", "/b"] {
        let response = client.get(target);
        assert_eq!(response.field("x-ratelimit-remaining"), Some("2"));
    }
    let together = gateway(&routes("@shared"));
    let mut client = together.client();
    let statuses = ["/a", "/b", "/a", "/b"].map(|target| client.get(target).status);
    assert_eq!(statuses, [200, 200, 200, 429]);
}

#[test]
fn rlx_40_translated_clients_are_their_ipv4_addresses() {
    let trust = "[identity]\ntrusted_proxies = [\"loopback\"]";
    let one = "[plans.anonymous]\npolicies = [\"1/hour fixed-window\"]";
    let program = gateway(&format!("{trust}\n{one}"));
    let clients = ["64:ff9b::808:808", "64:ff9b::909:909", "64:ff9b::808:808"];
    let statuses = clients.map(|client| ask(&program, "127.0.0.1", "/", &forwarded(client)));
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(ask(&program, "127.0.0.1", "/", &forwarded("8.8.8.8")), 429);
}
