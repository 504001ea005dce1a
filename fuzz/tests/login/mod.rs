//! A route that counts by a part of the body, and what it counts.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;

use aforo::core::{HashKey, Timestamp};
use aforo_policy::file::Environment;
use aforo_policy::{
    BodyFacts, Caller, CanonicalPath, Charges, Facts, Place, Planned, PolicySet, Refusal, Settings,
};
use http::{HeaderMap, HeaderValue, Method, header};

const KEY: HashKey = HashKey::new([3, 5]);

/// A file with one part that is counted, one that it is compared with, and a cost.
pub(crate) struct Login(PolicySet);

/// What a request is counted as.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// The part is absent.
    Nothing,
    /// The same as this text in a query.
    As(String),
    /// The part is there twice.
    Twice,
    /// The body cannot be read.
    Unreadable,
}

struct Nothing;

impl Environment for Nothing {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, _: &Path) -> std::io::Result<String> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

impl Login {
    /// Counts by `part`, and costs the items at `pointer`.
    pub(crate) fn by(part: &str, pointer: &str) -> Self {
        let text = format!(
            r#"
            [[routes]]
            match = "/part"
            policies = [{{ name = "part", quota = "1/s", partition_by = ["{part}"], when_missing = "skip" }}]
            [[routes]]
            match = "/query"
            policies = [{{ name = "query", quota = "1/s", partition_by = ["query:v"], when_missing = "skip" }}]
            [[routes]]
            match = "/items"
            cost_from = {{ body_items = "{pointer}" }}
            policies = [{{ name = "items", quota = "1/s" }}]
            "#
        );
        match Settings::parse("fuzz.toml", &text, &Nothing) {
            Ok(settings) => Self(PolicySet::new(Arc::new(settings))),
            Err(error) => panic!("{error}"),
        }
    }

    /// What a body is counted as. A text is guessed from `among`.
    pub(crate) fn body(&self, media: &str, body: &[u8]) -> Counted {
        self.body_among(media, body, &[])
    }

    /// The same, when the text may be one of these.
    pub(crate) fn body_among(&self, media: &str, body: &[u8], among: &[String]) -> Counted {
        let partition = match self.partition("/part", None, media, body) {
            Ok(Some((partition, _))) => partition,
            Ok(None) => return Counted::Nothing,
            Err(Refusal::DuplicatePart { .. }) => return Counted::Twice,
            Err(_) => return Counted::Unreadable,
        };
        let texts = among.iter().cloned().chain(scalars(body));
        let same = |text: &String| self.as_query(text) == Some(partition);
        texts
            .into_iter()
            .find(same)
            .map_or(Counted::As(String::new()), Counted::As)
    }

    /// The units that a JSON body costs; none when it is refused.
    pub(crate) fn items(&self, body: &[u8]) -> Option<u64> {
        let charged = self.partition("/items", None, "application/json", body);
        charged.ok().flatten().map(|(_, cost)| cost)
    }

    /// The partition of a text in the query.
    fn as_query(&self, text: &str) -> Option<u128> {
        let spelled: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let query = format!("v={spelled}");
        let counted = self.partition("/query", Some(&query), "text/plain", b"");
        counted.ok().flatten().map(|(partition, _)| partition)
    }

    fn partition(
        &self,
        path: &str,
        query: Option<&str>,
        media: &str,
        body: &[u8],
    ) -> Result<Option<(u128, u64)>, Refusal> {
        let mut headers = HeaderMap::new();
        let media = HeaderValue::from_str(media).expect("a media type");
        headers.insert(header::CONTENT_TYPE, media);
        let path = CanonicalPath::new(path, &self.0.settings().paths).expect("a path");
        let facts = Facts {
            method: &Method::POST,
            path: &path,
            query,
            host: None,
            headers: &headers,
            body: Some(BodyFacts { bytes: body }),
        };
        let caller = Caller::stranger(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let matched = self.0.matched(&facts);
        let now = Timestamp::from_seconds(1_700_000_000);
        let charges: Charges<'_> =
            self.0
                .charges(&facts, &caller, &matched, Place::Gateway, now, &KEY)?;
        Ok(charges.planned.first().and_then(|one| match &one.planned {
            Planned::Charge(charge) => Some((charge.partition.0, charge.cost)),
            Planned::Blocked => None,
        }))
    }
}

/// Every scalar of a JSON body, as text.
fn scalars(body: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    if let Ok(document) = serde_json::from_slice::<serde_json::Value>(body) {
        collect(&document, &mut texts);
    }
    texts
}

fn collect(value: &serde_json::Value, texts: &mut Vec<String>) {
    use serde_json::Value;
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.values().for_each(|item| collect(item, texts)),
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            texts.push(if float == 0.0 { 0.0 } else { float }.to_string());
        }
        other => texts.push(other.to_string()),
    }
}
