//! The tables and how they come to be.

use super::failure::Failure;
use crate::{OpenError, StoreError};

/// What the store knows of itself.
pub(super) const SETTINGS: &str = "SELECT name, value FROM \"{namespace}_store\"";

/// What is written over a row that is there. A name that is not known stays; a counter that
/// several consumers share is nobody's.
pub(super) const UPSERT: &str = "ON CONFLICT (partition, kind, tag) DO UPDATE SET \
    policy = CASE WHEN excluded.policy = '' THEN c.policy ELSE excluded.policy END, \
    consumer = CASE WHEN excluded.policy = '' THEN c.consumer \
        WHEN c.consumer IS NOT DISTINCT FROM excluded.consumer THEN c.consumer END, \
    state = excluded.state, used = excluded.used, capacity = excluded.capacity, \
    period_start = CASE WHEN excluded.period_start < 0 THEN c.period_start \
        ELSE excluded.period_start END, period_end = excluded.period_end, \
    as_of = excluded.as_of, expires = excluded.expires";

/// The table of what the store knows of itself.
const STORE: &str = "CREATE TABLE IF NOT EXISTS \"{namespace}_store\" \
    (name varchar(40) NOT NULL PRIMARY KEY, value bigint NOT NULL);";

/// The newest version of the tables.
const VERSION: i64 = 1;

/// Whether the settings say that the tables are of this version; an error when they hold another
/// fingerprint or a newer version.
pub(super) fn is_ready(settings: &[(String, i64)], fingerprint: u64) -> Result<bool, Failure> {
    let setting = |name| settings.iter().find(|(known, _)| known == name);
    let (Some((_, version)), Some((_, held))) = (setting("version"), setting("fingerprint")) else {
        return Ok(false);
    };
    if *held as u64 != fingerprint {
        return Err(Failure::Store(StoreError::HashKeyDiffers));
    }
    match *version {
        VERSION => Ok(true),
        newer if newer > VERSION => Err(Failure::nonsense(
            "its tables were made by a newer version of Aforo: update this instance",
        )),
        _ => Ok(false),
    }
}

/// The names of the tables of one namespace, which is safe inside double quotes.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    namespace: String,
}

impl Schema {
    /// The tables of a namespace.
    pub(super) fn new(namespace: &str) -> Result<Self, OpenError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
        if matches!(namespace.len(), 1..=40) && namespace.bytes().all(allowed) {
            let namespace = namespace.to_owned();
            return Ok(Self { namespace });
        }
        Err(OpenError::Url {
            problem: "the namespace names its tables".to_owned(),
            expected: "a namespace of 1 to 40 of a-z, A-Z, 0-9, '_', '-', '.' and ':'",
        })
    }

    /// SQL with the namespace in it.
    pub(super) fn sql(&self, template: &str) -> String {
        template.replace("{namespace}", &self.namespace)
    }

    /// What brings the tables from nothing to the newest version.
    pub(super) fn migration(&self, migrations: &[&str], fingerprint: u64) -> String {
        let settings = format!(
            "INSERT INTO \"{{namespace}}_store\" VALUES ('version', {VERSION}), \
             ('fingerprint', {});",
            fingerprint as i64
        );
        let all = [&[STORE][..], migrations, &[settings.as_str()]].concat();
        self.sql(&all.join("\n"))
    }

    /// A number that stands for the namespace among PostgreSQL's advisory locks: FNV-1a.
    #[cfg(feature = "postgres")]
    pub(super) fn lock(&self) -> i64 {
        let bytes = self.namespace.bytes();
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }) as i64
    }
}
