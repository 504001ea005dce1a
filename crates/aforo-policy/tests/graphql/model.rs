//! Random queries against a server that executes them: every list has as many items as its field
//! says, every object is made and every field resolved one by one, and both are counted.

use aforo_policy::graphql::Gauge;
use proptest::prelude::*;

use super::cost_of;

const USUAL: u64 = 2;

/// A selection as it is written. Fragments are shared: a spread names a later one.
#[derive(Clone, Debug)]
enum Written {
    Field {
        name: &'static str,
        first: Option<u64>,
        below: Vec<Written>,
    },
    Inline(Vec<Written>),
    Spread(usize),
}

/// A field with fragments put in.
#[derive(Clone, Debug)]
struct Plain {
    name: &'static str,
    first: Option<u64>,
    below: Vec<Plain>,
}

#[derive(Clone, Debug)]
struct Query {
    root: Vec<Written>,
    fragments: Vec<Vec<Written>>,
}

fn selections(depth: u32) -> BoxedStrategy<Vec<Written>> {
    let name = prop_oneof![4 => Just("a"), 2 => Just("b"), 1 => Just("edges"), 1 => Just("nodes")];
    let leaf = name.clone().prop_map(|name| Written::Field {
        name,
        first: None,
        below: Vec::new(),
    });
    let spread = (0..6_usize).prop_map(Written::Spread);
    if depth == 0 {
        return prop::collection::vec(leaf, 1..3).boxed();
    }
    let size = prop::option::of(0..4_u64);
    let field = (name, size, selections(depth - 1))
        .prop_map(|(name, first, below)| Written::Field { name, first, below });
    let inline = selections(depth - 1).prop_map(Written::Inline);
    prop::collection::vec(
        prop_oneof![3 => field, 2 => leaf, 1 => inline, 2 => spread],
        1..4,
    )
    .boxed()
}

fn queries() -> impl Strategy<Value = Query> {
    let fragments = prop::collection::vec(selections(1), 0..4);
    (selections(3), fragments).prop_map(|(root, fragments)| Query { root, fragments })
}

impl Query {
    /// The text. A spread in fragment `from` names one after it, or is a field where none is left.
    fn text(&self) -> String {
        let mut text = format!("{{ {} }}", self.written(&self.root, 0));
        for (at, fragment) in self.fragments.iter().enumerate() {
            let below = self.written(fragment, at + 1);
            text.push_str(&format!(" fragment F{at} on T {{ {below} }}"));
        }
        text
    }

    fn written(&self, selections: &[Written], from: usize) -> String {
        let mut text = String::new();
        for one in selections {
            match one {
                Written::Field { name, first, below } => {
                    text.push_str(name);
                    if let Some(first) = first {
                        text.push_str(&format!("(first: {first})"));
                    }
                    if !below.is_empty() {
                        text.push_str(&format!(" {{ {} }}", self.written(below, from)));
                    }
                }
                Written::Inline(below) => {
                    text.push_str(&format!("... on T {{ {} }}", self.written(below, from)));
                }
                Written::Spread(at) => match self.named(*at, from) {
                    Some(at) => text.push_str(&format!("...F{at}")),
                    None => text.push('a'),
                },
            }
            text.push(' ');
        }
        text
    }

    fn named(&self, at: usize, from: usize) -> Option<usize> {
        let left = self
            .fragments
            .len()
            .checked_sub(from)
            .filter(|left| *left > 0)?;
        Some(from + at % left)
    }

    fn plain(&self, selections: &[Written], from: usize) -> Vec<Plain> {
        let mut plain = Vec::new();
        for one in selections {
            match one {
                Written::Field { name, first, below } => plain.push(Plain {
                    name,
                    first: *first,
                    below: self.plain(below, from),
                }),
                Written::Inline(below) => plain.extend(self.plain(below, from)),
                Written::Spread(at) => match self.named(*at, from) {
                    Some(at) => plain.extend(self.plain(&self.fragments[at], at + 1)),
                    None => plain.push(Plain {
                        name: "a",
                        first: None,
                        below: Vec::new(),
                    }),
                },
            }
        }
        plain
    }
}

/// What a server does.
#[derive(Debug, Default)]
struct Server {
    resolved: u64,
    made: u64,
}

impl Server {
    /// Makes an object: resolves its fields. `above` is the size that its own field says.
    fn object(&mut self, fields: &[Plain], above: u64, is_root: bool) {
        self.made += 1;
        for field in fields {
            if field.below.is_empty() && !is_root {
                continue;
            }
            self.resolved += 1;
            if field.below.is_empty() {
                continue;
            }
            let is_list = |name: &str| name == "edges" || name == "nodes";
            let has_list = field.below.iter().any(|one| is_list(one.name));
            let own = field.first.filter(|_| !has_list).unwrap_or(1);
            let items = if is_list(field.name) {
                above * own
            } else {
                own
            };
            for _ in 0..items {
                self.object(&field.below, field.first.unwrap_or(USUAL), false);
            }
        }
    }
}

fn depth(fields: &[Plain]) -> u32 {
    let below = fields.iter().map(|field| 1 + depth(&field.below));
    below.max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_cost_is_what_a_server_does_at_most(query in queries()) {
        let text = query.text();
        let plain = query.plain(&query.root, 0);
        let mut server = Server::default();
        server.object(&plain, USUAL, true);
        let gauge = Gauge::default().with_list_size(USUAL);
        let cost = cost_of(&gauge, &text).unwrap();
        prop_assert_eq!(cost.field, server.resolved * 1_000, "{}", text);
        prop_assert_eq!(cost.types, server.made * 1_000, "{}", text);
        prop_assert_eq!(cost.depth, depth(&plain), "{}", text);
        prop_assert_eq!(cost.units, server.resolved.max(server.made), "{}", text);
    }
}
