//! `jwt` in `[identity]`.

use super::Checker;
use crate::file::raw::RawJwt;
use crate::file::read::{Field, Text};
use crate::{CredentialSource, Jwt, JwtAlgorithm, JwtKeys};

impl Checker<'_> {
    pub(super) fn jwt(&mut self, field: &Field<RawJwt>) -> Option<Jwt> {
        let raw = field.get()?;
        let keys = self.jwt_keys(raw);
        let algorithms: Vec<JwtAlgorithm> = raw
            .algorithms
            .get()
            .into_iter()
            .flat_map(|list| list.0.iter())
            .map(|choice| choice.value)
            .collect();
        self.check_algorithms(raw, &algorithms);
        let issuer = raw.issuer.get();
        if let Some(text) = issuer.filter(|text| !is_issuer(text.as_str())) {
            self.findings
                .add(text.at, "this is not an issuer")
                .expected("1 to 128 bytes without spaces, `|` and control characters");
        }
        let audience = raw.audience.get().into_iter();
        let audience = audience.flat_map(|list| list.0.iter());
        let source = match raw.source.get() {
            Some(raw) => self.credential_source(raw),
            None => Some(CredentialSource {
                header: http::header::AUTHORIZATION,
                scheme: Some("Bearer".to_owned()),
            }),
        };
        let leeway = self.length(&raw.leeway);
        Some(Jwt {
            keys: keys?,
            algorithms,
            issuer: issuer?.value.clone(),
            audience: audience.map(|text| text.value.clone()).collect(),
            source: source?,
            consumer: super::text(&raw.consumer).unwrap_or_else(|| "sub".to_owned()),
            plan: super::text(&raw.plan),
            team: super::text(&raw.team),
            org: super::text(&raw.org),
            leeway: leeway.unwrap_or_default(),
        })
    }

    fn jwt_keys(&mut self, raw: &RawJwt) -> Option<JwtKeys> {
        let written = [
            !raw.keys_file.is_absent(),
            !raw.jwks_url.is_absent(),
            !raw.secret.is_absent(),
        ];
        if written.into_iter().filter(|written| *written).count() != 1 {
            self.findings
                .add(raw.place, "signatures are checked with one thing")
                .expected("one of keys_file, jwks_url and secret");
            return None;
        }
        if let Some(file) = raw.keys_file.get().map(Text::as_str) {
            return Some(JwtKeys::File(file.into()));
        }
        if let Some(secret) = raw.secret.get() {
            return Some(JwtKeys::Secret(secret.clone()));
        }
        self.endpoint(&raw.jwks_url).map(JwtKeys::Url)
    }

    /// A secret has algorithms of its own: a public key used as one is the oldest attack.
    fn check_algorithms(&mut self, raw: &RawJwt, algorithms: &[JwtAlgorithm]) {
        use JwtAlgorithm::{Hs256, Hs384, Hs512};
        let secret = !raw.secret.is_absent();
        let wrong = algorithms
            .iter()
            .any(|one| matches!(one, Hs256 | Hs384 | Hs512) != secret);
        if let (true, Some(list)) = (wrong, raw.algorithms.get()) {
            let fault = self.findings.add(
                list.0.at,
                "these algorithms are not for what signatures are checked with",
            );
            fault.expected(if secret {
                "HS256, HS384, HS512 for a secret"
            } else {
                "RS256 to RS512, PS256 to PS512, ES256, ES384, EdDSA for public keys"
            });
        }
    }
}

fn is_issuer(text: &str) -> bool {
    let right = |letter: char| !letter.is_control() && !letter.is_whitespace() && letter != '|';
    (1..=128).contains(&text.len()) && text.chars().all(right)
}
