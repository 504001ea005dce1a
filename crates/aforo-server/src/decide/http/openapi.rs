//! The OpenAPI 3.1 description of the service, made from its types.

use std::sync::LazyLock;

use bytes::Bytes;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::answer::{Answer, Decisions, Refunded};
use super::problem::Document;
use super::wire::{MOST_QUESTIONS, Question, Refund};

static TEXT: LazyLock<Bytes> = LazyLock::new(|| format!("{:#}\n", document()).into());

/// The description, as it is served.
pub(super) fn text() -> Bytes {
    TEXT.clone()
}

fn document() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
        .into_generator();
    let paths = paths(&mut generator);
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Aforo decision service",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "May this go on, and if not, when?",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "http://127.0.0.1:8082" }],
        "security": [{ "token": [] }, {}],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of [decide], where the file has one.",
                },
            },
        },
    })
}

fn paths(generator: &mut SchemaGenerator) -> Value {
    let question = schema::<Question>(generator);
    let many = json!({ "type": "array", "items": question, "maxItems": MOST_QUESTIONS });
    let wrapped = json!({
        "type": "object",
        "required": ["decisions"],
        "properties": { "decisions": many },
        "additionalProperties": false,
    });
    let asked = json!({ "oneOf": [question, many, wrapped] });
    let answer = schema::<Answer<'_>>(generator);
    let decisions = schema::<Decisions<'_>>(generator);
    let told = json!({ "oneOf": [answer, { "type": "array", "items": answer }, decisions] });
    let problem = schema::<Document<'_>>(generator);
    let (refund, refunded) = (schema::<Refund>(generator), schema::<Refunded>(generator));
    json!({
        "/v1/decide": {
            "post": post("decide", "Decides, and takes what is decided on", &asked, &told, &problem),
        },
        "/v1/peek": {
            "post": post("peek", "Tells what decide would answer; takes nothing", &asked, &told, &problem),
        },
        "/v1/refund": {
            "post": post("refund", "Gives back what a decision took; needs the token", &refund, &refunded, &problem),
        },
        "/forward-auth": { "get": forward_auth(&problem) },
        "/healthz": {
            "get": {
                "operationId": "health",
                "summary": "Whether the service runs",
                "security": [],
                "responses": { "200": { "description": "It runs." } },
            },
        },
    })
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn post(id: &str, summary: &str, asked: &Value, told: &Value, problem: &Value) -> Value {
    json!({
        "operationId": id,
        "summary": summary,
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": asked } },
        },
        "responses": {
            "200": {
                "description": "The answer; a denial is one.",
                "content": { "application/json": { "schema": told } },
            },
            "default": refused(problem),
        },
    })
}

fn forward_auth(problem: &Value) -> Value {
    let header = |name: &str, description: &str| {
        json!({
            "name": name,
            "in": "header",
            "required": true,
            "description": description,
            "schema": { "type": "string" },
        })
    };
    json!({
        "operationId": "forwardAuth",
        "summary": "Decides over the request that a gateway has; only for identity.trusted_proxies",
        "security": [],
        "parameters": [
            header("X-Forwarded-Method", "The method."),
            header("X-Forwarded-Uri", "The path with its query."),
            header("X-Forwarded-Host", "The host."),
            header("X-Forwarded-For", "The client's address."),
            {
                "name": "deny",
                "in": "query",
                "description": "`403`: every denial is a 403, with its status in X-Aforo-Status.",
                "schema": { "const": "403" },
            },
        ],
        "responses": {
            "200": { "description": "The request may go on; the RateLimit fields tell where it stands." },
            "429": { "description": "The answer that the client is to get." },
            "default": refused(problem),
        },
    })
}

fn refused(problem: &Value) -> Value {
    json!({
        "description": "The question cannot be answered.",
        "content": { "application/problem+json": { "schema": problem } },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `AFORO_BLESS=1` writes it anew.
    #[test]
    fn the_description_in_the_repository_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../aforo.openapi.json");
        let current = text();
        if std::env::var_os("AFORO_BLESS").is_some() {
            std::fs::write(path, &current).unwrap();
        }
        let kept = std::fs::read(path).unwrap_or_default();
        assert!(
            kept == current,
            "aforo.openapi.json is not current; AFORO_BLESS=1 renews it"
        );
    }
}
