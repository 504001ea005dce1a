//! The schema that editors read, and the examples against it.

use std::path::PathBuf;

use aforo_policy::file::schema;
use serde_json::{Value, json};

use super::{Surroundings, settings};

const EXAMPLES: [&str; 4] = ["quickstart", "saas-tiers", "login", "platform"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn example(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("examples/{name}.toml"))).unwrap()
}

fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(integer) => json!(integer),
        toml::Value::Float(float) => json!(float),
        toml::Value::Boolean(flag) => json!(flag),
        toml::Value::Datetime(datetime) => json!(datetime.to_string()),
        toml::Value::Array(values) => values.into_iter().map(json_of).collect(),
        toml::Value::Table(table) => {
            let fields = table.into_iter().map(|(key, value)| (key, json_of(value)));
            Value::Object(fields.collect())
        }
    }
}

/// What of JSON Schema the schema uses, by the specification (draft 2020-12).
fn valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let Value::Object(rules) = schema else {
        return schema != &json!(false);
    };
    rules.iter().all(|(rule, wanted)| match rule.as_str() {
        "$ref" => {
            let pointer = wanted.as_str().unwrap().strip_prefix('#').unwrap();
            valid(root, root.pointer(pointer).unwrap(), value)
        }
        "type" => match wanted.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            other => panic!("type {other}"),
        },
        "const" => value == wanted,
        "enum" => wanted.as_array().unwrap().contains(value),
        "minimum" => value
            .as_i64()
            .is_none_or(|it| it >= wanted.as_i64().unwrap()),
        "maximum" => value
            .as_i64()
            .is_none_or(|it| it <= wanted.as_i64().unwrap()),
        "anyOf" => wanted
            .as_array()
            .unwrap()
            .iter()
            .any(|one| valid(root, one, value)),
        "oneOf" => {
            let all = wanted.as_array().unwrap().iter();
            all.filter(|one| valid(root, one, value)).count() == 1
        }
        "items" => value
            .as_array()
            .is_none_or(|items| items.iter().all(|item| valid(root, wanted, item))),
        "required" => value.as_object().is_none_or(|fields| {
            let names = wanted.as_array().unwrap().iter();
            names
                .map(|name| name.as_str().unwrap())
                .all(|name| fields.contains_key(name))
        }),
        "properties" => value.as_object().is_none_or(|fields| {
            let known = wanted.as_object().unwrap();
            fields.iter().all(|(name, field)| {
                known
                    .get(name)
                    .is_none_or(|schema| valid(root, schema, field))
            })
        }),
        "additionalProperties" => value.as_object().is_none_or(|fields| {
            let known = rules.get("properties");
            let others = fields
                .iter()
                .filter(|(name, _)| known.is_none_or(|known| known.get(name.as_str()).is_none()));
            others
                .into_iter()
                .all(|(_, field)| valid(root, wanted, field))
        }),
        "$schema" | "$defs" | "title" | "description" => true,
        other => panic!("the test does not know the rule {other}"),
    })
}

fn fits(text: &str) -> bool {
    let schema = schema();
    valid(&schema, &schema, &json_of(toml::from_str(text).unwrap()))
}

#[test]
fn the_committed_schema_is_current() {
    let path = root().join("aforo.schema.json");
    let mut current = serde_json::to_string_pretty(&schema()).unwrap();
    current.push('\n');
    if std::env::var_os("AFORO_BLESS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == current,
        "aforo.schema.json is out of date: run this test with AFORO_BLESS=1"
    );
}

#[test]
fn the_examples_are_valid_and_fit_the_schema() {
    for name in EXAMPLES {
        let text = example(name);
        settings(&text);
        assert!(fits(&text), "{name}");
    }
}

#[test]
fn the_schema_refuses_what_is_not_of_the_file() {
    assert!(fits(
        "[plans.free]\npolicies = [\"1/s\", { quota = { pro = \"2/s\" }, at = \"app\" }]\n"
    ));
    for wrong in [
        "[plans.free]\npolices = [\"1/s\"]\n",
        "[plans.free]\n",
        "[plans.free]\npolicies = \"1/s\"\n",
        "[plans.free]\npolicies = [{ quota = 5 }]\n",
        "[plans.free]\npolicies = [{ quota = \"1/s\", action = \"log\" }]\n",
        "[admin]\n",
        "[identity]\nipv6_prefix = -1\n",
        "[policies.a]\nquota = \"1/s\"\ncount = [99]\n",
    ] {
        assert!(!fits(wrong), "{wrong}");
    }
}

#[test]
fn every_field_is_documented_in_the_schema() {
    fn check(schema: &Value, place: &str) {
        if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
            for (name, field) in fields {
                let text = field.get("description").and_then(Value::as_str);
                assert!(
                    text.is_some_and(|text| text.ends_with('.')),
                    "{place}.{name}: {text:?}"
                );
            }
        }
    }
    let schema = schema();
    check(&schema, "");
    for (name, part) in schema["$defs"].as_object().unwrap() {
        check(part, name);
    }
}

#[test]
fn the_keys_in_the_comments_are_those_of_the_file() {
    let text = example("saas-tiers");
    // printf %s "$KEY" | sha256sum
    let hashes = [
        ("acorn", "demo-free-key", [0x9f, 0x8c, 0xfd, 0xb1]),
        ("birch", "demo-starter-key", [0x74, 0xf7, 0xa6, 0xfd]),
        ("cedar", "demo-pro-key", [0x1f, 0xbf, 0xd5, 0xe2]),
        ("elm", "demo-enterprise-key", [0xde, 0x08, 0x03, 0xc1]),
    ];
    let settings = Surroundings::default().parse(&text).unwrap();
    for (id, key, hash) in hashes {
        assert!(text.contains(&format!("\", # {key}")), "{key}");
        assert_eq!(settings.consumers[id].api_key_sha256[0][..4], hash, "{key}");
    }
}
