//! What IBM's GraphQL cost specification (draft of 2021) says, section by section.

use aforo_policy::graphql::{Fault, Gauge, Measure, Operation, Weights};

use super::{both, cost_of, typed};

const USERS: &str = r#"
    type User { name: String  age: Int @cost(weight: "2.0") }
    type Query { users(max: Int): [User] @listSize(slicingArguments: ["max"]) }
"#;

#[test]
fn a_field_costs_its_weight_for_each_object_it_is_resolved_on() {
    // Section 3: one resolver of weight 1, then five of weight 2. One Query and five Users.
    assert_eq!(both(&typed(USERS), "{ users(max: 5) { age } }"), (11, 6));
    assert_eq!(both(&typed(USERS), "{ users(max: 5) { name } }"), (1, 6));
}

#[test]
fn the_greater_cost_counts_unless_the_file_says_which() {
    let query = "query Example { users(max: 5) { age } }";
    let units = |measure| {
        let gauge = typed(USERS).with_measure(measure);
        cost_of(&gauge, query).unwrap().units
    };
    assert_eq!(units(Measure::Greater), 11);
    assert_eq!(units(Measure::Field), 11);
    assert_eq!(units(Measure::Type), 6);
}

#[test]
fn arguments_and_input_fields_add_their_weight_when_they_are_given() {
    // Section 5.3.2.2, argument and input field weights.
    let gauge = typed(
        r#"
        enum Approximate { YES }
        input Filter { approx: Approximate @cost(weight: "-12.0")  name: String }
        type Query {
            topProducts(filter: Filter @cost(weight: "15.0")): [String]
                @cost(weight: "5.0") @listSize(assumedSize: 10)
        }
        "#,
    );
    assert_eq!(both(&gauge, "{ topProducts }"), (5, 1));
    assert_eq!(
        both(&gauge, "{ topProducts(filter: {name: \"a\"}) }"),
        (20, 1)
    );
    assert_eq!(
        both(&gauge, "{ topProducts(filter: {approx: YES}) }"),
        (8, 1)
    );
    assert_eq!(both(&gauge, "{ topProducts(filter: null) }"), (5, 1));
    assert_eq!(
        both(&gauge, "query($f: Filter) { topProducts(filter: $f) }"),
        (5, 1),
        "a variable that is not given is no argument"
    );
    let given = r#"{"query": "query($f: Filter) { topProducts(filter: $f) }",
                    "variables": {"f": {"approx": "YES"}}}"#;
    let operations = Operation::of_json(given.as_bytes()).unwrap();
    assert_eq!(gauge.operations(&operations).unwrap().field, 8_000);
}

#[test]
fn a_negative_weight_makes_a_field_cheaper_but_never_less_than_nothing() {
    let gauge = typed(
        r#"
        enum Approximate { YES }
        type Product { name: String }
        type Query {
            mostPopularProduct(approx: Approximate @cost(weight: "-3.0")): Product
                @cost(weight: "5.0")
            free(approx: Approximate @cost(weight: "-3.0")): Product
        }
        "#,
    );
    assert_eq!(both(&gauge, "{ mostPopularProduct { name } }").0, 5);
    assert_eq!(
        both(&gauge, "{ mostPopularProduct(approx: YES) { name } }").0,
        2
    );
    assert_eq!(
        both(
            &gauge,
            "{ free(approx: YES) { name } mostPopularProduct { name } }"
        )
        .0,
        5
    );
}

#[test]
fn a_directives_arguments_count_where_it_is_used() {
    let gauge = typed(
        r#"
        directive @approx(tolerance: Float! @cost(weight: "-1.0")) on FIELD
        type Product { name: String }
        type Query { product: Product @cost(weight: "4.0") }
        "#,
    );
    assert_eq!(both(&gauge, "{ product { name } }").0, 4);
    assert_eq!(
        both(&gauge, "{ product @approx(tolerance: 0.5) { name } }").0,
        3
    );
}

#[test]
fn the_size_of_a_list_is_assumed_or_the_greatest_slicing_argument() {
    let gauge = typed(
        r#"
        type Item { id: ID }
        type Query {
            assumed: [Item] @listSize(assumedSize: 7)
            sliced(first: Int, last: Int): [Item]
                @listSize(slicingArguments: ["first", "last"], requireOneSlicingArgument: false,
                          assumedSize: 4)
            usual(first: Int = 20): [Item] @listSize(slicingArguments: ["first"])
            strict(first: Int, last: Int): [Item] @listSize(slicingArguments: ["first", "last"])
        }
        "#,
    );
    for (query, types) in [
        ("{ assumed { id } }", 8),
        ("{ sliced { id } }", 5),
        ("{ sliced(first: 3) { id } }", 4),
        ("{ sliced(first: 3, last: 9) { id } }", 10),
        ("{ usual { id } }", 21),
        ("{ usual(first: 2) { id } }", 3),
        ("{ strict(last: 6) { id } }", 7),
        ("{ strict(first: 2, last: 6) { id } }", 7),
    ] {
        assert_eq!(both(&gauge, query).1, types, "{query}");
    }
    let fault = cost_of(&gauge, "{ strict { id } }").unwrap_err();
    let expected = Fault::SizeMissing {
        field: "strict".to_owned(),
        arguments: "first, last".to_owned(),
    };
    assert_eq!(fault, expected);
}

#[test]
fn a_slicing_argument_may_stand_in_an_input_object() {
    let gauge = typed(
        r#"
        input Page { max: Int = 30  only: Boolean }
        type User { name: String }
        type Query {
            users(page: Page @cost(weight: "0")): [User] @listSize(slicingArguments: ["page.max"])
        }
        "#,
    );
    assert_eq!(both(&gauge, "{ users(page: {max: 10}) { name } }").1, 11);
    assert_eq!(both(&gauge, "{ users(page: {only: true}) { name } }").1, 31);
    let body = r#"{"query": "query($n: Int) { users(page: {max: $n}) { name } }",
                   "variables": {"n": 50}}"#;
    let operations = Operation::of_json(body.as_bytes()).unwrap();
    assert_eq!(gauge.operations(&operations).unwrap().types, 51_000);
}

#[test]
fn sized_fields_pass_the_size_on_to_a_list_below() {
    // Section 8.3: one connection, ten edges, ten nodes, one page info, and the Query itself.
    let gauge = typed(
        r#"
        type Film { title: String }
        type PageInfo { hasNextPage: Boolean }
        type FilmEdge { cursor: ID  node: Film }
        type FilmConnection { edges: [FilmEdge]  pageInfo: PageInfo }
        type Query {
            films(first: Int, after: ID, last: Int, before: ID): FilmConnection
                @listSize(slicingArguments: ["first", "last"], sizedFields: ["edges"])
        }
        "#,
    );
    let direct = "{ films(first: 10) { edges { node { title } } pageInfo { hasNextPage } } }";
    assert_eq!(both(&gauge, direct), (13, 23));
    let by_fragment = "
        { films(first: 10) { ...Page } }
        fragment Page on FilmConnection { ... on FilmConnection { ...Edges } pageInfo { hasNextPage } }
        fragment Edges on FilmConnection { edges { node { title } } }";
    assert_eq!(both(&gauge, by_fragment), (13, 23));
}

#[test]
fn abstract_types_weigh_what_the_heaviest_behind_them_does() {
    let gauge = typed(
        r#"
        interface Node { id: ID  owner: User }
        type User implements Node @cost(weight: "3.0") {
            id: ID @cost(weight: "2.0")
            owner: User
        }
        type Repo implements Node { id: ID  owner: User @cost(weight: "7.0") }
        union Hit = User | Repo
        type Query { node: Node  hits: [Hit] @listSize(assumedSize: 5) }
        "#,
    );
    // The node and its id; one Query and one of weight 3.
    assert_eq!(both(&gauge, "{ node { id } }"), (3, 4));
    // The owner weighs 7, and is a User of weight 3.
    assert_eq!(both(&gauge, "{ node { owner { __typename } } }"), (8, 7));
    // Five hits of weight 3.
    assert_eq!(both(&gauge, "{ hits { ... on Repo { id } } }"), (1, 16));
    assert_eq!(both(&gauge, "{ hits { ... on User { id } } }"), (11, 16));
}

#[test]
fn composite_inputs_weigh_1_and_scalars_nothing() {
    let gauge = typed(
        r"
        input Name { first: String  last: String  former: [Name] }
        type User { id: ID }
        type Query { user(id: ID, name: Name): User }
        ",
    );
    assert_eq!(both(&gauge, "{ user(id: 1) { id } }").0, 1);
    assert_eq!(both(&gauge, "{ user(name: {first: \"a\"}) { id } }").0, 2);
    let former = "{ user(name: {former: [{first: \"b\"}, {former: {last: \"c\"}}]}) { id } }";
    assert_eq!(both(&gauge, former).0, 4);
}

#[test]
fn the_files_weights_go_before_those_of_the_schema() {
    let mut weights = Weights::default();
    weights.insert("User.age", 0.5).unwrap();
    weights.insert("User", 4.0).unwrap();
    let gauge = Gauge::default().with_sdl(USERS, weights).unwrap();
    let cost = cost_of(&gauge, "{ users(max: 5) { age } }").unwrap();
    assert_eq!((cost.field, cost.types), (3_500, 21_000));
    assert!(gauge.check_weight("User.age").is_ok());
    assert!(gauge.check_weight("age").is_ok());
    for unknown in ["User.ago", "Usr", "Usr.age"] {
        assert!(gauge.check_weight(unknown).is_err(), "{unknown}");
    }
}

#[test]
fn a_schema_that_cannot_be_used_says_where() {
    let wrong = [
        ("type Query { a: Int ", (1, 21)),
        ("type Query {\n  a: Missing\n}", (2, 6)),
        ("type Query { a: Int @cost }", (0, 0)),
        ("type Query { a: Int @cost(weight: \"many\") }", (0, 0)),
        ("type Query { a: [Int] @listSize(max: 3) }", (0, 0)),
        ("type User { a: Int }", (0, 0)),
        ("{ a }", (1, 1)),
        ("", (0, 0)),
    ];
    for (sdl, place) in wrong {
        let error = Gauge::default()
            .with_sdl(sdl, Weights::default())
            .unwrap_err();
        assert_eq!((error.line, error.column), place, "{sdl}: {error}");
    }
}

#[test]
fn directives_that_the_schema_does_not_define_are_taken_as_they_stand() {
    let gauge = typed(
        r#"
        "Write to me@example.com about @things."
        type User @key(fields: "id") { id: ID @deprecated(reason: "old") }
        type Query { user: User @cost(weight: "6") @inaccessible }
        "#,
    );
    assert_eq!(both(&gauge, "{ user { id } }"), (6, 2));
}
