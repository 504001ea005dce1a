//! What is sent to break the gauge rather than the server.

use aforo_policy::graphql::{Fault, Gauge, Operation};

use super::cost_of;

#[test]
fn fragments_that_contain_themselves_are_refused() {
    let gauge = Gauge::default();
    for query in [
        "{ ...A } fragment A on Q { ...A }",
        "{ ...A } fragment A on Q { a { ...B } } fragment B on Q { ... { b { ...A } } }",
        "{ a { ...A } ...A } fragment A on Q { b { ...C } } fragment C on Q { c { ...A } }",
    ] {
        let fault = cost_of(&gauge, query).unwrap_err();
        assert!(matches!(fault, Fault::Cycle { .. }), "{query}: {fault:?}");
        assert_eq!(fault.code(), "GRAPHQL_VALIDATION_FAILED");
    }
    assert!(
        cost_of(&gauge, "{ a } fragment A on Q { ...A }").is_ok(),
        "it is never used"
    );
}

#[test]
fn fragments_of_one_name_and_of_none_are_refused() {
    let gauge = Gauge::default();
    for query in [
        "{ ...A }",
        "{ ...A } fragment A on Q { a } fragment A on Q { a(first: 1000) { b } }",
    ] {
        let fault = cost_of(&gauge, query).unwrap_err();
        assert!(
            matches!(fault, Fault::NoFragment { .. }),
            "{query}: {fault:?}"
        );
    }
}

/// 60 fragments, each with the next one twice: 2⁶⁰ fields when written out.
#[test]
fn fragments_in_fragments_are_counted_in_full_without_being_written_out() {
    let mut query = "{ ...F0 } fragment F60 on Q { a { b } }".to_owned();
    for n in 0..60 {
        let next = n + 1;
        query.push_str(&format!("fragment F{n} on Q {{ ...F{next} ...F{next} }}"));
    }
    let cost = cost_of(&Gauge::default(), &query).unwrap();
    assert_eq!(cost.units, 1 << 50, "the most that is told");
    let capped = Gauge::default().with_max_cost(1_000_000);
    assert_eq!(
        cost_of(&capped, &query).unwrap_err().code(),
        "MAX_COST_EXCEEDED"
    );
    // Twelve of them are 4096 fields, and the root.
    let twelve = query.replace("{ ...F0 }", "{ ...F48 }");
    assert_eq!(cost_of(&Gauge::default(), &twelve).unwrap().units, 4_097);
}

#[test]
fn nesting_is_bounded_before_the_stack_is() {
    let gauge = Gauge::default();
    let nested = |levels: usize| format!("{}{}", "{a".repeat(levels), "}".repeat(levels));
    assert_eq!(cost_of(&gauge, &nested(100)).unwrap().depth, 100);
    for levels in [101, 150, 10_000, 1_000_000] {
        let fault = cost_of(&gauge, &nested(levels)).unwrap_err();
        assert_eq!(fault.code(), "REQUEST_TOO_LARGE", "{levels}");
    }
    let list = format!("{{ a(b: {}{}) }}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(
        cost_of(&gauge, &list).unwrap_err().code(),
        "REQUEST_TOO_LARGE"
    );
    let objects = format!("{{ a(b: {}", "{c:".repeat(100_000));
    assert_eq!(
        cost_of(&gauge, &objects).unwrap_err().code(),
        "REQUEST_TOO_LARGE"
    );
    let kind = format!("query($a: {}Int", "[".repeat(100_000));
    assert_eq!(
        cost_of(&gauge, &kind).unwrap_err().code(),
        "REQUEST_TOO_LARGE"
    );
    let mut chain = "{ ...F0 } fragment F2000 on Q { a }".to_owned();
    for n in 0..2_000 {
        chain.push_str(&format!("fragment F{n} on Q {{ ...F{} }}", n + 1));
    }
    assert_eq!(
        cost_of(&gauge, &chain).unwrap_err().code(),
        "REQUEST_TOO_LARGE"
    );
    let json = format!(
        r#"{{"query": "{{a}}", "variables": {}"#,
        "[".repeat(100_000)
    );
    assert!(Operation::of_json(json.as_bytes()).is_err());
}

#[test]
fn sizes_in_one_another_stay_at_the_end_of_the_numbers() {
    let list = "a(first: 2147483647) {";
    let query = format!("{{ {} b {} }}", list.repeat(9), "}".repeat(9));
    assert_eq!(cost_of(&Gauge::default(), &query).unwrap().units, 1 << 50);
    let huge = "{ a(first: 99999999999999999999999999) { b } }";
    assert_eq!(cost_of(&Gauge::default(), huge).unwrap().units, 1 << 50);
}

#[test]
fn tokens_are_bounded_for_the_whole_request() {
    let gauge = Gauge::default();
    let wide = |fields: usize| format!("{{ {} }}", "a ".repeat(fields));
    assert!(cost_of(&gauge, &wide(19_000)).is_ok());
    assert_eq!(
        cost_of(&gauge, &wide(20_000)).unwrap_err().code(),
        "REQUEST_TOO_LARGE"
    );
    let half = wide(11_000);
    let two = [Operation::of_query(&half), Operation::of_query(&half)];
    assert_eq!(
        gauge.operations(&two).unwrap_err().code(),
        "REQUEST_TOO_LARGE"
    );
    let commas = format!("{{ a {} }}", ",".repeat(200_000));
    assert!(cost_of(&gauge, &commas).is_ok(), "commas are white space");
}

/// Many operations that each spread a large fragment: no more than so many selections are looked
/// at, whatever the text says.
#[test]
fn repeated_work_is_bounded() {
    let fields: String = (0..4_000).map(|n| format!("a{n} ")).collect();
    let operations: String = (0..1_000)
        .map(|n| format!("query Q{n} {{ ...F }} "))
        .collect();
    let query = format!("{operations} fragment F on Q {{ {fields} }}");
    let fault = cost_of(&Gauge::default(), &query).unwrap_err();
    assert_eq!(fault.code(), "REQUEST_TOO_LARGE");
}

#[test]
fn texts_that_are_no_queries_are_told_where() {
    let gauge = Gauge::default();
    for (query, line, column) in [
        ("{ a ", 1, 5),
        ("{\n  a(b: )\n}", 2, 8),
        ("{ }", 1, 3),
        ("{ a \u{7} }", 1, 5),
        ("type A { a: Int }", 1, 1),
        ("{ a(b: \"x", 1, 8),
    ] {
        match cost_of(&gauge, query) {
            Err(Fault::Syntax {
                line: l, column: c, ..
            }) => assert_eq!((l, c), (line, column), "{query:?}"),
            other => panic!("{query:?}: {other:?}"),
        }
    }
    assert!(matches!(
        cost_of(&gauge, "fragment F on Q { a }"),
        Err(Fault::Malformed(_))
    ));
    for empty in ["", "   ", "# nothing"] {
        assert!(matches!(cost_of(&gauge, empty), Err(Fault::Syntax { .. })));
    }
}

/// 64 KB of each: the lexer once overflowed the stack on one long token.
#[test]
fn no_token_is_too_long_for_the_stack() {
    let gauge = Gauge::default();
    for piece in [
        "{",
        "}",
        "[",
        "a ",
        "a:",
        "\"",
        "\"\"\"",
        "\"\\",
        "\\u",
        "...",
        "...F ",
        "@a",
        "$",
        "$a",
        "fragment F on A{",
        "query{a}",
        "query(",
        "0",
        "1.",
        "-",
        "\n",
        "#",
        "{a(b:{c:[",
        "a(first:9){",
        "\u{feff}",
        "\u{1f600}",
        "\u{0}",
    ] {
        for start in ["", "{ a ", "{ a(b: ", "{ a(b: \"", "{ a(b: \"\"\""] {
            let text = format!("{start}{}", piece.repeat(65_536 / piece.len()));
            let _ = cost_of(&gauge, &text);
        }
    }
}
