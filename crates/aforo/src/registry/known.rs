//! Who an API key's or an id's consumer is: what a request asks.

use aforo_core::Timestamp;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::api_key::hex;
use super::database::{Argument, Row};
use super::instant::{instant_if_any, instant_of, kept};
use super::{NegotiatedQuota, RegisteredConsumer, Registry, RegistryError};

/// What the registry knows of whoever holds a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The consumer.
    pub consumer: RegisteredConsumer,
    /// The public id of the API key, where it was one.
    pub api_key: Option<String>,
    /// When the API key expires.
    pub expires: Option<Timestamp>,
    /// The overrides that hold or will hold.
    pub overrides: Vec<NegotiatedQuota>,
}

/// What is asked: a row for each override, one without where there is none.
const BY_HASH: &str = "SELECT c.id, c.contact, c.plan, c.team, coalesce(c.org, t.org) AS org, \
    c.created, k.id AS api_key, k.sha256, k.expires, o.policy, o.quota, o.starts, o.ends, \
    o.reason, o.created AS written FROM aforo_api_keys k \
    JOIN aforo_consumers c ON c.id = k.consumer \
    LEFT JOIN aforo_teams t ON t.name = c.team \
    LEFT JOIN aforo_overrides o ON o.consumer = c.id \
        AND (o.ends IS NULL OR (o.ends > $2 AND o.ends > o.starts)) \
    WHERE k.sha256 = $1 AND k.revoked IS NULL AND (k.expires IS NULL OR k.expires > $2) \
    ORDER BY o.starts, o.entry";

const BY_ID: &str = "SELECT c.id, c.contact, c.plan, c.team, coalesce(c.org, t.org) AS org, \
    c.created, NULL AS api_key, NULL AS sha256, NULL AS expires, o.policy, o.quota, o.starts, \
    o.ends, o.reason, o.created AS written FROM aforo_consumers c \
    LEFT JOIN aforo_teams t ON t.name = c.team \
    LEFT JOIN aforo_overrides o ON o.consumer = c.id \
        AND (o.ends IS NULL OR (o.ends > $2 AND o.ends > o.starts)) \
    WHERE c.id = $1 ORDER BY o.starts, o.entry";

impl Registry {
    /// Whose API key this is; `None` when it is nobody's, was revoked, or has expired.
    ///
    /// The database is asked for its SHA-256, so that how long it takes says nothing of the
    /// hashes that are kept; what it finds is compared once more in constant time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn by_api_key(&self, raw: &[u8]) -> Result<Option<Known>, RegistryError> {
        let hash = Sha256::digest(raw).into();
        self.by_sha256(&hash).await
    }

    /// The same by the SHA-256 of the API key.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn by_sha256(&self, hash: &[u8; 32]) -> Result<Option<Known>, RegistryError> {
        let now = self.clock.now();
        let hash = hex(hash);
        let arguments = [Argument::from(hash.as_str()), Argument::from(kept(now))];
        let rows = self.database.rows(BY_HASH, &arguments).await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let same = first.text("sha256")?.as_bytes().ct_eq(hash.as_bytes());
        match bool::from(same) {
            true => {
                let api_key = Some(first.text("api_key")?);
                let expires = instant_if_any(first.number_if_any("expires")?);
                Known::of(&rows, api_key, expires).map(Some)
            }
            false => Ok(None),
        }
    }

    /// The consumer of an id that somebody else verified: a token's subject, a trusted peer.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn by_id(&self, id: &str) -> Result<Option<Known>, RegistryError> {
        let now = self.clock.now();
        let arguments = [Argument::from(id), Argument::from(kept(now))];
        let rows = self.database.rows(BY_ID, &arguments).await?;
        match rows.is_empty() {
            true => Ok(None),
            false => Known::of(&rows, None, None).map(Some),
        }
    }
}

impl Known {
    fn of(
        rows: &[Row],
        api_key: Option<String>,
        expires: Option<Timestamp>,
    ) -> Result<Self, RegistryError> {
        let first = rows.first().ok_or_else(none)?;
        let overrides = rows.iter().map(negotiated);
        Ok(Self {
            consumer: RegisteredConsumer::of(first)?,
            api_key,
            expires,
            overrides: overrides
                .filter_map(Result::transpose)
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The override of a row.
fn negotiated(row: &Row) -> Result<Option<NegotiatedQuota>, RegistryError> {
    let Some(policy) = row.text_if_any("policy")? else {
        return Ok(None);
    };
    Ok(Some(NegotiatedQuota {
        policy,
        quota: row.text("quota")?,
        starts: instant_of(row.number("starts")?),
        ends: instant_if_any(row.number_if_any("ends")?),
        reason: row.text_if_any("reason")?,
        created: instant_of(row.number("written")?),
    }))
}

fn none() -> RegistryError {
    RegistryError::Unavailable("it answered with nothing".to_owned())
}
