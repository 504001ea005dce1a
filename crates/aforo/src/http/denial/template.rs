//! Bodies from a template with `{placeholders}`.
//!
//! A template that begins with `{` (not of a placeholder) or `[` is JSON, one that begins with `<`
//! HTML, any other plain text; values are escaped for it. Every `{name}` with a known name is replaced; other braces stay
//! as they are, so JSON needs no escaping of its own. What is not known becomes nothing; a number
//! in JSON becomes `null`.

use std::fmt::Display;

use serde_json::Value;

use super::account::Account;

/// What a template's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Json,
    Html,
    Plain,
}

impl Text {
    const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Html => "text/html; charset=utf-8",
            Self::Plain => "text/plain; charset=utf-8",
        }
    }
}

/// The body and its media type.
pub(super) fn render(template: &str, account: &Account<'_>) -> (String, &'static str) {
    let text = text_of(template, account);
    let mut out = String::with_capacity(template.len().saturating_add(256));
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let replaced = after
            .split_once('}')
            .and_then(|(name, after)| Some((value(name, text, account)?, after)));
        match replaced {
            Some((value, after)) => {
                out.push_str(&value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    (out, text.media_type())
}

fn text_of(template: &str, account: &Account<'_>) -> Text {
    let start = template.trim_start();
    let is_placeholder = || {
        let name = start.get(1..).and_then(|after| after.split_once('}'));
        name.is_some_and(|(name, _)| value(name, Text::Plain, account).is_some())
    };
    match start.as_bytes().first() {
        Some(b'[') => Text::Json,
        Some(b'{') if !is_placeholder() => Text::Json,
        Some(b'<') => Text::Html,
        _ => Text::Plain,
    }
}

/// What a placeholder becomes; `None` when there is none of this name.
fn value(name: &str, text: Text, account: &Account<'_>) -> Option<String> {
    let number = |number: Option<u64>| match (number, text) {
        (Some(number), _) => number.to_string(),
        (None, Text::Json) => "null".to_owned(),
        (None, _) => String::new(),
    };
    let words = |words: Option<&str>| escaped(words.unwrap_or_default(), text);
    let value = match name {
        "type" => words(Some(account.problem_type)),
        "code" => words(Some(account.kind.code)),
        "title" => words(Some(account.title)),
        "detail" => words(Some(&account.detail)),
        "status" => number(Some(u64::from(account.status.as_u16()))),
        "retry_after" => number(account.retry_after),
        "limit" => number(account.limit),
        "remaining" => number(account.remaining),
        "policies" => words(Some(&account.violated.join(", "))),
        "plan" => words(account.plan),
        "credential" => words(account.credential),
        "decision_id" => words(Some(&shown(&account.decision_id))),
        "documentation_url" => words(account.documentation_url),
        "upgrade_url" => words(account.upgrade_url),
        _ => return None,
    };
    Some(value)
}

fn shown(value: &impl Display) -> String {
    value.to_string()
}

/// A text as it stands inside a JSON string, inside HTML, or as it is.
fn escaped(words: &str, text: Text) -> String {
    match text {
        Text::Plain => words.to_owned(),
        Text::Html => words
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;"),
        Text::Json => {
            let quoted = Value::from(words).to_string();
            quoted
                .strip_prefix('"')
                .and_then(|inside| inside.strip_suffix('"'))
                .unwrap_or_default()
                .to_owned()
        }
    }
}
