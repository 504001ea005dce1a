//! The secrets of cookies that mark known devices.

use aforo_policy::Settings;
use aforo_policy::file::Environment;

use crate::{BuildError, secret};

/// Reads the secret of each cookie. White space around it does not count.
pub(crate) fn unlock(settings: &Settings, environment: &dyn Environment) -> Result<(), BuildError> {
    for cookie in settings.exempt_cookies() {
        let what = format!("the cookie {:?}", cookie.name);
        let (secret, place) =
            secret::read(&cookie.secret, environment).map_err(|missing| missing.of(&what))?;
        cookie
            .unlock(secret.trim().as_bytes())
            .map_err(|_| BuildError::SecretTooShort { what, place })?;
    }
    Ok(())
}
