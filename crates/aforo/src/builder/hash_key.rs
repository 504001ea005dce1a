//! The secret that partition keys are hashed with.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use aforo_core::HashKey;
use aforo_policy::Settings;
use aforo_policy::file::Environment;

use crate::BuildError;
use crate::stores::OwnStores;

/// The variable that holds it.
pub(crate) const VARIABLE: &str = "AFORO_HASH_KEY";

/// The secret, and whether other processes may have the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Secret {
    pub(crate) key: HashKey,
    /// Whether it was given rather than drawn.
    pub(crate) given: bool,
}

impl Secret {
    /// The secret that was given in code, by the file or by the environment; drawn at random when
    /// no store is shared.
    pub(super) fn find(
        in_code: Option<HashKey>,
        settings: &Settings,
        own: &OwnStores,
        environment: &dyn Environment,
    ) -> Result<Self, BuildError> {
        let given = |key| Self { key, given: true };
        if let Some(key) = in_code {
            return Ok(given(key));
        }
        let shared = shared_store(settings, own);
        let variable = || environment.variable(VARIABLE);
        let in_variable = variable()
            .filter(|text| !text.trim().is_empty())
            .map(|text| read(&text, &format!("the variable {VARIABLE}")));
        let in_file = hash_key_file(settings)
            .map(|path| in_file(path, environment))
            .transpose()?;
        match (in_file, in_variable, shared) {
            (Some(file), Some(Ok(variable)), _) if file != variable => Err(BuildError::TwoHashKeys),
            (Some(key), _, _) => Ok(given(key)),
            (None, Some(key), Some(_)) => key.map(given),
            (None, None, Some(store)) => Err(BuildError::HashKeyMissing { store }),
            (None, _, None) => Ok(Self {
                key: drawn(),
                given: false,
            }),
        }
    }

    /// Whether settings that replace others can do with it.
    pub(crate) fn serves(self, settings: &Settings, own: &OwnStores) -> Result<(), BuildError> {
        match shared_store(settings, own) {
            Some(store) if !self.given => Err(BuildError::HashKeyAtStart { store }),
            _ => Ok(()),
        }
    }
}

/// A store that other processes count in too, and that the application did not bring itself.
fn shared_store(settings: &Settings, own: &OwnStores) -> Option<String> {
    let mut stores = settings.stores.iter();
    let shared = stores.find(|(name, store)| store.url.is_shared() && !own.contains_key(*name));
    shared.map(|(name, _)| name.clone())
}

fn hash_key_file(settings: &Settings) -> Option<PathBuf> {
    let mut stores = settings.stores.values();
    stores.find_map(|store| store.hash_key_file.clone())
}

fn in_file(path: PathBuf, environment: &dyn Environment) -> Result<HashKey, BuildError> {
    let text = match environment.read(&path) {
        Ok(text) => text,
        Err(source) => return Err(BuildError::HashKeyUnreadable { path, source }),
    };
    read(&text, &format!("the hash_key_file {}", path.display()))
}

fn read(text: &str, place: &str) -> Result<HashKey, BuildError> {
    let place = place.to_owned();
    text.trim()
        .parse()
        .map_err(|_| BuildError::HashKeyWrong { place })
}

/// A secret of this process: the machine's randomness, which seeds every `RandomState`.
fn drawn() -> HashKey {
    let word = |seed: u64| RandomState::new().hash_one(seed);
    HashKey::new([word(1), word(2)])
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::*;

    const ONE: &str = "00000000000000000000000000000001";
    const TWO: &str = "00000000000000000000000000000002";

    /// What a variable and a file hold.
    struct Surroundings(Option<&'static str>, Option<&'static str>);

    impl Environment for Surroundings {
        fn variable(&self, name: &str) -> Option<String> {
            assert_eq!(name, "AFORO_HASH_KEY");
            self.0.map(str::to_owned)
        }

        fn read(&self, path: &Path) -> io::Result<String> {
            assert_eq!(path, Path::new("/run/key"));
            self.1
                .map(str::to_owned)
                .ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    }

    fn find(text: &str, surroundings: &Surroundings) -> Result<Secret, String> {
        let settings = Settings::parse("a.toml", text, surroundings).unwrap();
        Secret::find(None, &settings, &OwnStores::new(), surroundings)
            .map_err(|error| error.to_string())
    }

    const SHARED: &str = "[stores.default]\nurl = \"redis://a\"\n";
    const FILE: &str = "[stores.default]\nurl = \"redis://a\"\nhash_key_file = \"/run/key\"\n";
    const MEMORY: &str = "[stores.default]\nurl = \"memory\"\n";

    #[test]
    fn it_comes_from_the_variable_or_the_file() {
        let one = HashKey::new([0, 1]);
        let variable = find(SHARED, &Surroundings(Some(ONE), None)).unwrap();
        assert!(variable.given && variable.key == one);
        let file = find(
            FILE,
            &Surroundings(None, Some("00000000000000000000000000000001\n")),
        );
        assert!(file.unwrap().key == one);
        let both = find(FILE, &Surroundings(Some(ONE), Some(ONE)));
        assert!(both.unwrap().key == one);
    }

    #[test]
    fn memory_has_one_of_its_own_in_each_process() {
        let (a, b) = (
            find(MEMORY, &Surroundings(Some(ONE), None)).unwrap(),
            find(MEMORY, &Surroundings(None, None)).unwrap(),
        );
        assert!(!a.given && a.key != b.key);
    }

    #[test]
    fn what_is_missing_or_wrong_names_the_remedy() {
        let missing = find(SHARED, &Surroundings(None, None)).unwrap_err();
        assert!(missing.contains("openssl rand -hex 16"), "{missing}");
        assert!(missing.contains("AFORO_HASH_KEY"), "{missing}");
        assert!(missing.contains("hash_key_file"), "{missing}");
        let wrong = find(SHARED, &Surroundings(Some("hunter2"), None)).unwrap_err();
        assert!(wrong.contains("32 hexadecimal digits"), "{wrong}");
        assert!(!wrong.contains("hunter2"), "{wrong}");
        let unreadable = find(FILE, &Surroundings(None, None)).unwrap_err();
        assert!(unreadable.contains("/run/key"), "{unreadable}");
        let two = find(FILE, &Surroundings(Some(ONE), Some(TWO))).unwrap_err();
        assert!(two.contains("two hash keys"), "{two}");
    }
}
