//! The file that a builder writes, so that one reader validates everything.

use std::fmt::Write;

/// The aforo file that a builder's calls amount to.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) policies: Vec<(String, String)>,
    pub(super) plans: Vec<(String, Vec<String>)>,
    pub(super) routes: Vec<(String, Vec<String>)>,
    pub(super) edge: Vec<String>,
    pub(super) trusted_proxies: Vec<String>,
}

impl Text {
    pub(super) const fn is_empty(&self) -> bool {
        self.policies.is_empty()
            && self.plans.is_empty()
            && self.routes.is_empty()
            && self.edge.is_empty()
            && self.trusted_proxies.is_empty()
    }

    /// The file, as TOML.
    pub(super) fn written(&self) -> String {
        let mut text = String::new();
        if !self.edge.is_empty() {
            section(&mut text, "[edge]", &[("policies", list(&self.edge))]);
        }
        if !self.trusted_proxies.is_empty() {
            let proxies = list(&self.trusted_proxies);
            section(&mut text, "[identity]", &[("trusted_proxies", proxies)]);
        }
        if !self.plans.iter().any(|(name, _)| name == "anonymous") {
            section(&mut text, "[plans.anonymous]", &[("policies", list(&[]))]);
        }
        for (name, policies) in &self.plans {
            let header = format!("[plans.{}]", quoted(name));
            section(&mut text, &header, &[("policies", list(policies))]);
        }
        for (name, quota) in &self.policies {
            let header = format!("[policies.{}]", quoted(name));
            section(&mut text, &header, &[("quota", quoted(quota))]);
        }
        for (matched, policies) in &self.routes {
            let fields = [("match", quoted(matched)), ("policies", list(policies))];
            section(&mut text, "[[routes]]", &fields);
        }
        text
    }
}

fn section(text: &mut String, header: &str, fields: &[(&str, String)]) {
    // Writing to a String does not fail.
    let _ = writeln!(text, "{header}");
    for (name, value) in fields {
        let _ = writeln!(text, "{name} = {value}");
    }
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(", "))
}

/// A TOML basic string: its escapes hold JSON's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_place() {
        let text = Text {
            policies: vec![("a\"]\n[edge".to_owned(), "1/s\"".to_owned())],
            ..Text::default()
        };
        let expected = "[plans.anonymous]\npolicies = []\n[policies.\"a\\\"]\\n[edge\"]\nquota = \"1/s\\\"\"\n";
        assert_eq!(text.written(), expected);
    }
}
