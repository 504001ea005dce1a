use super::*;

fn one(text: &str) -> Result<Kind, String> {
    match read(text.as_bytes()).map_err(|error| error.to_string())? {
        Asked::One(question) => question.kind().map_err(str::to_owned),
        Asked::List(_) | Asked::Decisions(_) => Err("several".to_owned()),
    }
}

fn refused(text: &str) -> String {
    one(text).unwrap_err()
}

#[test]
fn a_policy_by_its_name() {
    let Kind::Policies(charges) =
        one(r#"{"policy":"exports","partition":"ana","cost":2}"#).unwrap()
    else {
        panic!("not a policy");
    };
    assert_eq!(charges.len(), 1);
    assert_eq!(
        (charges[0].policy.as_str(), charges[0].cost),
        ("exports", 2)
    );
    assert!(matches!(&charges[0].partition, Partition::One(part) if part == "ana"));
}

#[test]
fn a_request_by_its_facts() {
    let text = r#"{"request":{"method":"POST","path":"/a%20b?c=d","host":"api.example",
        "address":"2001:db8::7","headers":{"X-Api-Key":"k","accept":["a","b"]},"body":"x"},"cost":3}"#;
    let Kind::Request(facts, Some(3)) = one(text).unwrap() else {
        panic!("not a request");
    };
    let taken = facts.taken().unwrap();
    assert_eq!(taken.request.method(), "POST");
    assert_eq!(taken.request.uri(), "/a%20b?c=d");
    assert_eq!(taken.request.headers()["host"], "api.example");
    assert_eq!(taken.request.headers()["x-api-key"], "k");
    assert_eq!(taken.request.headers().get_all("accept").iter().count(), 2);
    assert_eq!(taken.peer.unwrap().to_string(), "[2001:db8::7]:0");
    assert_eq!(taken.body.as_deref(), Some("x"));
}

#[test]
fn many_are_a_list_or_decisions() {
    let list = read(br#" [ {"policy":"a"}, {"policy":"b"} ]"#).unwrap();
    assert!(matches!(list, Asked::List(list) if list.len() == 2));
    let same = read(br#"{ "decisions" : [ {"policy":"a"} ] }"#).unwrap();
    assert!(matches!(same, Asked::Decisions(list) if list.len() == 1));
}

#[test]
fn what_is_not_understood_is_refused() {
    let exactly = "expected exactly one of `request`, `policy` and `policies`";
    assert_eq!(refused("{}"), exactly);
    assert_eq!(refused(r#"{"policy":"a","policies":[]}"#), exactly);
    assert_eq!(
        refused(r#"{"policies":[]}"#),
        "expected at least one of `policies`"
    );
    for (text, said) in [
        (r#"{"policy":"a","policy":"b"}"#, "duplicate field `policy`"),
        (r#"{"polcy":"a"}"#, "unknown field `polcy`"),
        (r#"{"policy":"a","cost":-1}"#, "invalid value: integer `-1`"),
        (
            r#"{"policy":"a","cost":1.5}"#,
            "invalid type: floating point",
        ),
        (
            r#"{"policy":"a","cost":18446744073709551616}"#,
            "invalid type: floating point",
        ),
        (
            r#"{"policy":"a","partition":7}"#,
            "expected a string or a list of strings",
        ),
        (r#"{"policy":"a"} {"#, "trailing characters"),
        (r#"{"policy":"a","#, "EOF while parsing"),
        (
            r#"{"request":{"path":"/","headers":{"a":"1","A":"2"}}}"#,
            "the header `a` is there twice",
        ),
        (
            r#"{"request":{"path":"/","headers":{"a b":"1"}}}"#,
            "expected the name of a header",
        ),
        (
            r#"{"request":{"path":"/","headers":{"a":"1\n2"}}}"#,
            "is not a header's value",
        ),
        (
            r#"{"request":{"path":"/","address":"nowhere"}}"#,
            "invalid IP address syntax",
        ),
        (
            "{\"policy\":\"\u{7f}\\ud800\"}",
            "unexpected end of hex escape",
        ),
    ] {
        let told = refused(text);
        assert!(told.contains(said), "{text}: {told}");
    }
    let not_utf8 = read(b"{\"policy\":\"\xff\"}").unwrap_err().to_string();
    assert!(
        not_utf8.contains("invalid unicode code point"),
        "{not_utf8}"
    );
}

#[test]
fn facts_that_are_no_request_are_refused() {
    let told = |text: &str| match one(text).unwrap() {
        Kind::Request(facts, _) => facts.taken().unwrap_err(),
        Kind::Policies(_) => panic!("not a request"),
    };
    for path in ["", "orders", "http://a/b", "/a b", "*"] {
        let text = format!(r#"{{"request":{{"path":"{path}"}}}}"#);
        assert!(told(&text).starts_with("`path` is not a path"), "{path}");
    }
    assert_eq!(
        told(r#"{"request":{"path":"/","method":"G T"}}"#),
        "`method` is not a method"
    );
    assert_eq!(
        told(r#"{"request":{"path":"/","consumer":{"id":""}}}"#),
        "the `id` of `consumer` is empty"
    );
}

#[test]
fn lists_are_bounded() {
    let list = |count: usize| format!("[{}]", vec![r#"{"policy":"a"}"#; count].join(","));
    assert!(read(list(MOST_QUESTIONS).as_bytes()).is_ok());
    let told = read(list(10_000).as_bytes()).unwrap_err().to_string();
    assert!(told.contains("at most 1000 decisions"), "{told}");
    let deep = "[".repeat(100_000);
    assert!(read(deep.as_bytes()).is_err());
    let policies = vec![r#"{"policy":"a"}"#; 65].join(",");
    assert!(refused(&format!(r#"{{"policies":[{policies}]}}"#)).contains("at most 64"));
}
