//! Values of JSON bodies.

use proptest::prelude::*;
use serde_json::Value;

use crate::partition::json::{Found, NotJson, at_pointer};

fn found(body: &str, pointer: &str) -> Result<Found, NotJson> {
    at_pointer(body.as_bytes(), pointer)
}

fn text(value: &str) -> Result<Found, NotJson> {
    Ok(Found::Text(value.to_owned()))
}

#[test]
fn a_value_is_found_by_its_pointer() {
    let body = r#"{"a":{"b":[{"c":"x"},"y"]},"":"empty","m~n":1,"s/t":true,"em\u0061il":"z"}"#;
    assert_eq!(found(body, "/a/b/0/c"), text("x"));
    assert_eq!(found(body, "/a/b/1"), text("y"));
    assert_eq!(found(body, "/"), text("empty"));
    assert_eq!(found(body, "/m~0n"), text("1"));
    assert_eq!(found(body, "/s~1t"), text("true"));
    assert_eq!(found(body, "/email"), text("z"));
    assert_eq!(found("\"root\"", ""), text("root"));
    assert_eq!(found(r#"{"~1":"x"}"#, "/~01"), text("x"));
}

#[test]
fn what_is_not_there_is_nothing() {
    let body = r#"{"a":null,"b":["x"],"c":"y"}"#;
    for pointer in [
        "/a", "/a/b", "/d", "/b/1", "/b/-", "/b/00", "/b/+0", "/c/d", "/b/x", "/b/",
    ] {
        assert_eq!(found(body, pointer), Ok(Found::Nothing), "{pointer}");
    }
}

#[test]
fn an_object_or_array_is_no_part() {
    let body = r#"{"a":{"b":1},"c":[1,{"d":2}]}"#;
    for pointer in ["/a", "/c/1", ""] {
        assert_eq!(found(body, pointer), Ok(Found::Object), "{pointer}");
    }
}

#[test]
fn a_number_has_one_text() {
    for number in ["1", "1.0", "1e0", "10e-1", "\"1\""] {
        assert_eq!(found(number, ""), text("1"), "{number}");
    }
    for (number, written) in [
        ("-0", "0"),
        ("-0.0", "0"),
        ("-7", "-7"),
        ("0.5", "0.5"),
        ("18446744073709551615", "18446744073709551615"),
        ("false", "false"),
    ] {
        assert_eq!(found(number, ""), text(written), "{number}");
    }
}

#[test]
fn a_member_on_the_way_may_be_there_once() {
    for body in [
        r#"{"a":{"b":1},"a":{"b":1}}"#,
        r#"{"a":{"b":1,"b":2}}"#,
        r#"{"a":{"b":1,"\u0062":2}}"#,
        r#"{"a":1,"a":{"b":1}}"#,
        r#"{"a":{"b":1,"b":null}}"#,
        r#"{"a":{"b":1,"b":{}}}"#,
    ] {
        assert_eq!(found(body, "/a/b"), Ok(Found::Twice), "{body}");
    }
    let beside = r#"{"x":1,"x":2,"a":{"b":"z"}}"#;
    assert_eq!(found(beside, "/a/b"), text("z"));
}

#[test]
fn what_is_no_json_is_told() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let open = "[".repeat(100_000);
    for body in [
        "",
        "{",
        "{\"a\":1}x",
        "{'a':1}",
        "\u{feff}{\"a\":1}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":1,}",
        "NaN",
        "{\"a\":01}",
        &open,
    ] {
        assert_eq!(found(body, "/a"), Err(NotJson), "{body:.20}");
    }
    assert_eq!(at_pointer(b"{\"a\":\"\xff\"}", "/a"), Err(NotJson));
    assert_eq!(at_pointer(b"{\"a\":1,\"b\":\"\xff\"}", "/a"), Err(NotJson));
    // Depth that nobody follows is no danger.
    assert_eq!(found(&format!("{{\"x\":{deep},\"a\":1}}"), "/a"), text("1"));
    assert_eq!(found(&deep, &"/0".repeat(100_000)), Err(NotJson));
}

/// JSON values whose members are few, so that pointers meet them.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a~/]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a~/0]{0,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    /// `serde_json` finds the same by its own pointer.
    #[test]
    fn the_value_is_serde_jsons(value in value(), pointer in "(/([a01]|~0|~1){0,2}){0,3}") {
        let expected = match value.pointer(&pointer) {
            None | Some(Value::Null) => Found::Nothing,
            Some(Value::String(text)) => Found::Text(text.clone()),
            Some(Value::Array(items)) => Found::Array(items.len() as u64),
            Some(Value::Object(_)) => Found::Object,
            Some(scalar) => Found::Text(scalar.to_string()),
        };
        prop_assert_eq!(found(&value.to_string(), &pointer), Ok(expected));
    }

    #[test]
    fn any_body_is_read_or_refused(body in any::<Vec<u8>>(), pointer in any::<String>()) {
        let _ = at_pointer(&body, &pointer);
    }

    #[test]
    fn any_json_like_body_is_read_or_refused(
        tokens in prop::collection::vec(
            prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "\"a\"", "1", "null", "-", "\\"]),
            0..24,
        ),
    ) {
        let _ = found(&tokens.concat(), "/a/a");
    }
}
