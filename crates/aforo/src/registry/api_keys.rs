//! Issuing, revoking and rotating API keys.

use aforo_core::{Span, Timestamp};

use super::consumer::found;
use super::database::{Argument, Change};
use super::instant::kept;
use super::{ApiKey, ApiKeyId, IssuedApiKey, Registry, RegistryError, Text};

/// What an API key that was issued in the place of another one replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The new key, accepted at once.
    pub issued: IssuedApiKey,
    /// What the registry knows of it.
    pub new: ApiKey,
    /// The old key, which expires when the grace is over.
    pub old: ApiKey,
}

impl Registry {
    /// Issues an API key to a consumer. The key itself is in the answer alone, not in the
    /// registry.
    ///
    /// # Errors
    /// When there is no such consumer, or the database fails.
    pub async fn issue_key(
        &self,
        consumer: &Text,
        label: Option<&Text>,
        expires: Option<Timestamp>,
        author: &Text,
    ) -> Result<(IssuedApiKey, ApiKey), RegistryError> {
        let signature = self.signature(author);
        let issued = IssuedApiKey::new()?;
        let record = ApiKey {
            id: issued.id().as_str().to_owned(),
            consumer: consumer.to_string(),
            label: label.map(ToString::to_string),
            created: signature.at,
            expires,
            revoked: None,
        };
        self.database
            .within(async {
                let mut change = self.database.change().await?;
                found(&mut change, consumer.as_str()).await?;
                write(&mut change, &issued, &record).await?;
                let detail = described(&record);
                let signed = signature.sign(&mut change, "issue-key", consumer.as_str(), &detail);
                signed.await?;
                change.commit().await
            })
            .await?;
        Ok((issued, record))
    }

    /// Revokes an API key. One that was revoked already stays so.
    ///
    /// # Errors
    /// When there is no such key, or the database fails.
    pub async fn revoke_key(&self, id: &ApiKeyId, author: &Text) -> Result<ApiKey, RegistryError> {
        let signature = self.signature(author);
        self.database
            .within(async {
                let mut change = self.database.change().await?;
                let mut key = locked(&mut change, id).await?;
                if key.revoked.is_some() {
                    return Ok(key);
                }
                key.revoked = Some(signature.at);
                let update = "UPDATE aforo_api_keys SET revoked = $2 WHERE id = $1";
                let arguments = [
                    Argument::from(id.as_str()),
                    Argument::from(kept(signature.at)),
                ];
                change.run(update, &arguments).await?;
                let detail = described(&key);
                let signed = signature.sign(&mut change, "revoke-key", &key.consumer, &detail);
                signed.await?;
                change.commit().await?;
                Ok(key)
            })
            .await
    }

    /// Issues a new API key in the place of another one, which is accepted for the grace yet, or
    /// until it would have expired anyway. The new one has the label of the old one, and no end
    /// unless one is given.
    ///
    /// # Errors
    /// When there is no such key, it is over, or the database fails.
    pub async fn rotate_key(
        &self,
        id: &ApiKeyId,
        grace: Span,
        expires: Option<Timestamp>,
        author: &Text,
    ) -> Result<Rotated, RegistryError> {
        let signature = self.signature(author);
        let now = signature.at;
        let issued = IssuedApiKey::new()?;
        self.database
            .within(async {
                let mut change = self.database.change().await?;
                let mut old = locked(&mut change, id).await?;
                if !old.is_live(now) {
                    return Err(RegistryError::ApiKeyOver(id.to_string()));
                }
                let end = now.plus(grace);
                let end = old.expires.map_or(end, |expires| expires.min(end));
                old.expires = Some(end);
                let update = "UPDATE aforo_api_keys SET expires = $2 WHERE id = $1";
                let arguments = [Argument::from(id.as_str()), Argument::from(kept(end))];
                change.run(update, &arguments).await?;
                let new = ApiKey {
                    id: issued.id().as_str().to_owned(),
                    consumer: old.consumer.clone(),
                    label: old.label.clone(),
                    created: now,
                    expires,
                    revoked: None,
                };
                write(&mut change, &issued, &new).await?;
                let detail = format!("{id} → {}", described(&new));
                let signed = signature.sign(&mut change, "rotate-key", &old.consumer, &detail);
                signed.await?;
                change.commit().await?;
                Ok(Rotated { issued, new, old })
            })
            .await
    }

    /// The API keys of a consumer, the oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keys(&self, consumer: &Text) -> Result<Vec<ApiKey>, RegistryError> {
        let select = "SELECT id, consumer, label, created, expires, revoked FROM aforo_api_keys \
                      WHERE consumer = $1 ORDER BY created, id";
        let arguments = [Argument::from(consumer.as_str())];
        let rows = self.database.rows(select, &arguments).await?;
        rows.iter().map(ApiKey::of).collect()
    }
}

async fn write(
    change: &mut Change<'_>,
    issued: &IssuedApiKey,
    record: &ApiKey,
) -> Result<(), RegistryError> {
    let sha256 = issued.sha256();
    let arguments = [
        Argument::from(record.id.as_str()),
        Argument::from(record.consumer.as_str()),
        Argument::from(sha256.as_str()),
        Argument::from(record.label.as_deref()),
        Argument::from(kept(record.created)),
        Argument::from(record.expires.map(kept)),
    ];
    let insert = "INSERT INTO aforo_api_keys (id, consumer, sha256, label, created, expires) \
                  VALUES ($1, $2, $3, $4, $5, $6)";
    change.run(insert, &arguments).await.map(drop)
}

/// The API key of a change, which nobody else changes meanwhile.
async fn locked(change: &mut Change<'_>, id: &ApiKeyId) -> Result<ApiKey, RegistryError> {
    let arguments = [Argument::from(id.as_str())];
    // Writing it locks it: SQLite has no FOR UPDATE, and needs none.
    let lock = "UPDATE aforo_api_keys SET created = created WHERE id = $1";
    change.run(lock, &arguments).await?;
    let select = "SELECT id, consumer, label, created, expires, revoked FROM aforo_api_keys \
                  WHERE id = $1";
    let rows = change.rows(select, &arguments).await?;
    match rows.first() {
        Some(row) => ApiKey::of(row),
        None => Err(RegistryError::NoApiKey(id.to_string())),
    }
}

/// An API key for the audit trail.
fn described(key: &ApiKey) -> String {
    match &key.label {
        Some(label) => format!("aforo_{} ({label})", key.id),
        None => format!("aforo_{}", key.id),
    }
}
