//! Which table applies to a descriptor.

use std::collections::HashMap;

use crate::{Descriptor, DescriptorEntry, EntryMatch, ValueMatch};

/// The tables of a file by domain and entries.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    domains: HashMap<String, Node>,
}

/// What follows after some entries.
#[derive(Debug, Default)]
struct Node {
    keys: HashMap<String, Values>,
    /// The place of the table that ends here.
    table: Option<usize>,
}

/// The values of a key.
#[derive(Debug, Default)]
struct Values {
    exact: HashMap<String, Node>,
    /// The longest first.
    prefixes: Vec<(String, Node)>,
    any: Option<Node>,
}

impl Tree {
    /// The tables, by their place.
    pub(crate) fn new(descriptors: &[Descriptor]) -> Self {
        let mut tree = Self::default();
        for (place, descriptor) in descriptors.iter().enumerate() {
            let mut node = tree.domains.entry(descriptor.domain.clone()).or_default();
            for entry in &descriptor.entries {
                node = node.after(entry);
            }
            node.table.get_or_insert(place);
        }
        tree
    }

    /// Whether some table is of this domain.
    pub(crate) fn has(&self, domain: &str) -> bool {
        self.domains.contains_key(domain)
    }

    /// The place of the table that applies: for each entry in turn the whole value, else the longest
    /// beginning, else any value. What is less specific is not tried when a later entry fits
    /// nothing, as in Envoy's reference implementation.
    pub(crate) fn find(&self, domain: &str, entries: &[DescriptorEntry<'_>]) -> Option<usize> {
        let mut node = self.domains.get(domain)?;
        for entry in entries {
            node = node.keys.get(entry.key)?.of(entry.value)?;
        }
        node.table
    }
}

impl Node {
    fn after(&mut self, entry: &EntryMatch) -> &mut Self {
        let values = self.keys.entry(entry.key.clone()).or_default();
        match &entry.value {
            ValueMatch::Exact(value) => values.exact.entry(value.clone()).or_default(),
            ValueMatch::Prefix(prefix) => values.after_prefix(prefix),
            ValueMatch::Any => values.any.get_or_insert_default(),
        }
    }
}

impl Values {
    fn after_prefix(&mut self, prefix: &str) -> &mut Node {
        let known = self.prefixes.iter().position(|(held, _)| held == prefix);
        let at = known.unwrap_or_else(|| {
            let longer = |(held, _): &(String, Node)| held.len() >= prefix.len();
            let at = self.prefixes.partition_point(longer);
            self.prefixes
                .insert(at, (prefix.to_owned(), Node::default()));
            at
        });
        // It is there: the last arm has no node of its own to give.
        match self.prefixes.get_mut(at) {
            Some((_, node)) => node,
            None => self.any.get_or_insert_default(),
        }
    }

    fn of(&self, value: &str) -> Option<&Node> {
        let by_prefix = || {
            let mut prefixes = self.prefixes.iter();
            let found = prefixes.find(|(prefix, _)| value.starts_with(prefix));
            found.map(|(_, node)| node)
        };
        let found = self.exact.get(value).or_else(by_prefix);
        found.or(self.any.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[(&str, &str)]) -> Descriptor {
        let entry = |(key, value): &(&str, &str)| EntryMatch {
            key: (*key).to_owned(),
            value: match (*value, value.strip_suffix('*')) {
                ("", _) => ValueMatch::Any,
                (_, Some(prefix)) => ValueMatch::Prefix(prefix.to_owned()),
                (value, None) => ValueMatch::Exact(value.to_owned()),
            },
        };
        Descriptor {
            domain: "d".to_owned(),
            entries: entries.iter().map(entry).collect(),
            policies: Vec::new(),
        }
    }

    fn find(tree: &Tree, entries: &[(&str, &str)]) -> Option<usize> {
        let entries: Vec<DescriptorEntry<'_>> = entries
            .iter()
            .map(|&(key, value)| DescriptorEntry { key, value })
            .collect();
        tree.find("d", &entries)
    }

    #[test]
    fn the_most_specific_table_applies() {
        let tree = Tree::new(&[
            table(&[("k", "")]),
            table(&[("k", "fo*")]),
            table(&[("k", "foo*")]),
            table(&[("k", "foobar")]),
            table(&[("k", "foobar"), ("l", "")]),
            table(&[("k", ""), ("m", "1")]),
        ]);
        for (value, place) in [
            ("", 0),
            ("f", 0),
            ("fo", 1),
            ("foo", 2),
            ("fooba", 2),
            ("foobar", 3),
            ("foobars", 2),
        ] {
            assert_eq!(find(&tree, &[("k", value)]), Some(place), "{value}");
        }
        assert_eq!(find(&tree, &[("k", "foobar"), ("l", "x")]), Some(4));
        assert_eq!(find(&tree, &[("k", "x"), ("m", "1")]), Some(5));
        // The whole value is the way, and leads nowhere.
        assert_eq!(find(&tree, &[("k", "foobar"), ("m", "1")]), None);
        assert_eq!(find(&tree, &[("k", "x"), ("m", "2")]), None);
        assert_eq!(find(&tree, &[("l", "x")]), None);
        assert_eq!(find(&tree, &[]), None);
        assert_eq!(tree.find("e", &[]), None);
        assert!(tree.has("d") && !tree.has("e"));
    }
}
