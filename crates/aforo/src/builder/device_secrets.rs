//! The secrets of cookies that mark known devices.

use aforo_policy::file::Environment;
use aforo_policy::{Secret, Settings};

use crate::BuildError;

/// Reads the secret of each cookie. White space around it does not count.
pub(crate) fn unlock(settings: &Settings, environment: &dyn Environment) -> Result<(), BuildError> {
    for cookie in settings.exempt_cookies() {
        let (secret, place) = match &cookie.secret {
            Secret::Variable(name) => (environment.variable(name), format!("the variable {name}")),
            Secret::File(path) => {
                let secret = environment.read(path).ok();
                (secret, format!("the file {}", path.display()))
            }
        };
        let missing = || BuildError::SecretMissing {
            what: format!("the cookie {:?}", cookie.name),
            place: place.clone(),
        };
        let secret = secret.ok_or_else(missing)?;
        let short = |_| BuildError::SecretTooShort {
            what: format!("the cookie {:?}", cookie.name),
            place: place.clone(),
        };
        cookie.unlock(secret.trim().as_bytes()).map_err(short)?;
    }
    Ok(())
}
