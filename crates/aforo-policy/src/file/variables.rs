//! Variables in strings.

use super::Environment;
use super::findings::Findings;
use super::read::Text;

/// Puts `${NAME}` variables into a string; `$${` writes `${`.
pub(in crate::file) fn substitute(
    text: &Text,
    environment: &dyn Environment,
    findings: &mut Findings,
) -> Option<String> {
    let mut value = String::new();
    let mut whole = true;
    let mut rest = text.value.as_str();
    while let Some(dollar) = rest.find("${") {
        let offset = text.value.len().saturating_sub(rest.len());
        let start = offset.saturating_add(dollar);
        let before = rest.get(..dollar).unwrap_or_default();
        let after = rest.get(dollar.saturating_add(2)..).unwrap_or_default();
        if let Some(before) = before.strip_suffix('$') {
            value.push_str(before);
            value.push_str("${");
            rest = after;
            continue;
        }
        value.push_str(before);
        let name = after.split('}').next().unwrap_or_default();
        let closed = after.len() > name.len();
        let end = start.saturating_add(name.len()).saturating_add(3);
        let proper = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !closed || !proper {
            findings
                .add(text.part(start..end), "an unfinished variable")
                .expected("${NAME}, the name of an environment variable")
                .help("`$${` writes the characters themselves");
            return None;
        }
        match environment.variable(name) {
            Some(variable) => value.push_str(&variable),
            None => {
                whole = false;
                findings
                    .add(
                        text.part(start..end),
                        format!("the environment variable `{name}` is not set"),
                    )
                    .help(format!("set {name} before starting"));
            }
        }
        rest = after
            .get(name.len().saturating_add(1)..)
            .unwrap_or_default();
    }
    value.push_str(rest);
    whole.then_some(value)
}
