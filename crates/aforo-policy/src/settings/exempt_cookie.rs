//! The cookie of known devices.

use std::sync::OnceLock;

use aforo_core::{Span, Timestamp};

use super::{Alternatives, Normalize, Secret, Settings};
use crate::partition::normalized;
use crate::{DeviceKey, DeviceKeyError};

/// The cookie of devices from which an account was logged into: requests that bring it for the
/// same account have a counter of their own, so that a stranger cannot lock the owner out.
#[derive(Clone, Debug)]
pub struct ExemptCookie {
    /// Its name.
    pub name: String,
    /// Where the secret is that it is signed with.
    pub secret: Secret,
    /// The account that it is for: parts of the request.
    pub account: Vec<Alternatives>,
    /// How these are made alike.
    pub normalize: Vec<Normalize>,
    /// How long it is worth something.
    pub max_age: Span,
    /// Whether Aforo sets it after a good login, rather than the application.
    pub is_set: bool,
    /// The secret, once it was read.
    pub(crate) key: OnceLock<DeviceKey>,
}

impl ExemptCookie {
    /// Takes the secret. Before, every cookie is unknown, and none is set.
    ///
    /// # Errors
    /// When the secret is too short.
    pub fn unlock(&self, secret: &[u8]) -> Result<(), DeviceKeyError> {
        let key = DeviceKey::new(secret)?;
        self.key.get_or_init(|| key);
        Ok(())
    }

    /// What Set-Cookie says (RFC 6265) to make the asking device one that is known for an account,
    /// from `now` on. The account is given part by part and made alike as the policy says. `None`
    /// while the secret is not there.
    pub fn set_cookie(&self, account: &[impl AsRef<[u8]>], now: Timestamp) -> Option<String> {
        let key = self.key.get()?;
        let parts = account.iter();
        let parts = parts.map(|part| normalized(part.as_ref(), &self.normalize));
        let account: Vec<_> = parts.collect();
        let value = key.value(&self.name, &account, now.plus(self.max_age));
        let (name, age) = (&self.name, self.max_age.as_seconds_ceil());
        Some(format!(
            "{name}={value}; Max-Age={age}; Path=/; HttpOnly; Secure; SameSite=Lax"
        ))
    }
}

impl Settings {
    /// The cookies of known devices, wherever a policy has one; some may come several times.
    pub fn exempt_cookies(&self) -> impl Iterator<Item = &ExemptCookie> {
        self.all_policies()
            .filter_map(|policy| policy.exempt_cookie.as_deref())
    }
}
