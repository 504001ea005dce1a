//! Negotiated quotas, with a start, an end and a reason.

use aforo_core::{PolicyName, Timestamp};
use aforo_policy::file::QuotaText;

use super::consumer::found;
use super::database::{Argument, Change, Row};
use super::instant::{instant_if_any, instant_of, kept};
use super::{Registry, RegistryError, Text};

/// A negotiated quota. Those of one policy never hold at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NegotiatedQuota {
    /// The policy.
    pub policy: String,
    /// The quota in its place, as a file writes it.
    pub quota: String,
    /// From when on it holds.
    pub starts: Timestamp,
    /// From when on it holds no longer; `None`: it has no end.
    pub ends: Option<Timestamp>,
    /// Why.
    pub reason: Option<String>,
    /// When it was written.
    pub created: Timestamp,
}

/// An override to be written.
#[derive(Clone, Debug)]
pub struct NewOverride {
    /// The policy.
    pub policy: PolicyName,
    /// The quota in its place.
    pub quota: QuotaText,
    /// From when on it holds; `None`: from now on.
    pub starts: Option<Timestamp>,
    /// From when on it holds no longer.
    pub ends: Option<Timestamp>,
    /// Why.
    pub reason: Option<Text>,
}

impl NegotiatedQuota {
    /// Whether it holds at this instant.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.starts <= now && self.ends.is_none_or(|ends| now < ends)
    }

    pub(super) fn of(row: &Row) -> Result<Self, RegistryError> {
        Ok(Self {
            policy: row.text("policy")?,
            quota: row.text("quota")?,
            starts: instant_of(row.number("starts")?),
            ends: instant_if_any(row.number_if_any("ends")?),
            reason: row.text_if_any("reason")?,
            created: instant_of(row.number("created")?),
        })
    }
}

impl Registry {
    /// Gives a consumer another quota of a policy. One that holds until then ends when this one
    /// starts; one that would start before this one ends never holds.
    ///
    /// # Errors
    /// When there is no such consumer, the override would end before it starts, or the database
    /// fails.
    pub async fn set_override(
        &self,
        consumer: &Text,
        new: &NewOverride,
        author: &Text,
    ) -> Result<NegotiatedQuota, RegistryError> {
        let signature = self.signature(author);
        let written = NegotiatedQuota {
            policy: new.policy.to_string(),
            quota: new.quota.to_string(),
            starts: new.starts.unwrap_or(signature.at),
            ends: new.ends,
            reason: new.reason.as_ref().map(ToString::to_string),
            created: signature.at,
        };
        if written.ends.is_some_and(|ends| ends <= written.starts) {
            return Err(RegistryError::EndsBeforeStart);
        }
        let consumer = consumer.as_str();
        self.database
            .within(async {
                let mut change = self.database.change().await?;
                found(&mut change, consumer).await?;
                make_room(&mut change, consumer, &written).await?;
                let arguments = [
                    Argument::from(consumer),
                    Argument::from(written.policy.as_str()),
                    Argument::from(written.quota.as_str()),
                    Argument::from(kept(written.starts)),
                    Argument::from(written.ends.map(kept)),
                    Argument::from(written.reason.as_deref()),
                    Argument::from(kept(written.created)),
                ];
                let insert = "INSERT INTO aforo_overrides \
                              (consumer, policy, quota, starts, ends, reason, created) \
                              VALUES ($1, $2, $3, $4, $5, $6, $7)";
                change.run(insert, &arguments).await?;
                let detail = format!("{}: {}", written.policy, written.quota);
                let signed = signature.sign(&mut change, "override", consumer, &detail);
                signed.await?;
                change.commit().await
            })
            .await?;
        Ok(written)
    }

    /// Ends all overrides of a policy that a consumer has or would have later; how many.
    ///
    /// # Errors
    /// When there is nothing to end, or the database fails.
    pub async fn end_override(
        &self,
        consumer: &Text,
        policy: &PolicyName,
        author: &Text,
    ) -> Result<u64, RegistryError> {
        let signature = self.signature(author);
        let (consumer, policy) = (consumer.as_str(), policy.as_str());
        self.database
            .within(async {
                let mut change = self.database.change().await?;
                found(&mut change, consumer).await?;
                let arguments = [
                    Argument::from(consumer),
                    Argument::from(policy),
                    Argument::from(kept(signature.at)),
                ];
                let update = "UPDATE aforo_overrides \
                              SET ends = CASE WHEN starts < $3 THEN $3 ELSE starts END \
                              WHERE consumer = $1 AND policy = $2 \
                              AND (ends IS NULL OR (ends > $3 AND ends > starts))";
                let ended = change.run(update, &arguments).await?;
                if ended == 0 {
                    return Err(RegistryError::NoOverride {
                        consumer: consumer.to_owned(),
                        policy: policy.to_owned(),
                    });
                }
                let signed = signature.sign(&mut change, "end-override", consumer, policy);
                signed.await?;
                change.commit().await?;
                Ok(ended)
            })
            .await
    }

    /// The overrides that a consumer has, had, and will have, the first to start first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn overrides(&self, consumer: &Text) -> Result<Vec<NegotiatedQuota>, RegistryError> {
        let select = "SELECT policy, quota, starts, ends, reason, created FROM aforo_overrides \
                      WHERE consumer = $1 ORDER BY starts, entry";
        let arguments = [Argument::from(consumer.as_str())];
        let rows = self.database.rows(select, &arguments).await?;
        rows.iter().map(NegotiatedQuota::of).collect()
    }
}

/// Ends what would hold at the same time as a new override.
async fn make_room(
    change: &mut Change<'_>,
    consumer: &str,
    new: &NegotiatedQuota,
) -> Result<(), RegistryError> {
    let (policy, starts) = (new.policy.as_str(), kept(new.starts));
    let earlier = [
        Argument::from(consumer),
        Argument::from(policy),
        Argument::from(starts),
    ];
    let cut = "UPDATE aforo_overrides SET ends = $3 WHERE consumer = $1 AND policy = $2 \
               AND starts < $3 AND (ends IS NULL OR ends > $3)";
    change.run(cut, &earlier).await?;
    let ends = new.ends.map_or(i64::MAX, kept);
    let [consumer, policy, starts] = earlier;
    let later = [consumer, policy, starts, Argument::from(ends)];
    let drop = "UPDATE aforo_overrides SET ends = starts WHERE consumer = $1 AND policy = $2 \
                AND starts >= $3 AND starts < $4";
    change.run(drop, &later).await.map(|_| ())
}
