//! Secrets that the file names.

use aforo_policy::Secret;
use aforo_policy::file::Environment;

use crate::BuildError;

/// A secret that is not there.
pub(crate) struct Missing {
    /// Where it should be.
    pub(crate) place: String,
}

/// What is at the place of a secret, and the place for people.
pub(crate) fn read(
    secret: &Secret,
    environment: &dyn Environment,
) -> Result<(String, String), Missing> {
    let (text, place) = match secret {
        Secret::Variable(name) => (environment.variable(name), format!("the variable {name}")),
        Secret::File(path) => {
            let text = environment.read(path).ok();
            (text, format!("the file {}", path.display()))
        }
    };
    match text {
        Some(text) => Ok((text, place)),
        None => Err(Missing { place }),
    }
}

impl Missing {
    pub(crate) fn of(self, what: &str) -> BuildError {
        BuildError::SecretMissing {
            what: what.to_owned(),
            place: self.place,
        }
    }
}
