//! A registry on each database, with a clock that a test moves.

use std::time::Duration;

use aforo::ManualClock;
use aforo::core::Timestamp;
use aforo::registry::{Name, NewConsumer, Registry, Text};
use aforo_servers::Postgres;
use tempfile::TempDir;

/// A registry of a test's own.
pub(crate) struct Scene {
    pub(crate) registry: Registry,
    pub(crate) clock: ManualClock,
    pub(crate) author: Text,
    place: Place,
}

enum Place {
    File(TempDir),
    Server(Postgres),
}

const PATIENCE: Duration = Duration::from_secs(20);

impl Scene {
    pub(crate) fn sqlite() -> Self {
        Self::new(Place::File(TempDir::new().unwrap()))
    }

    pub(crate) fn postgres() -> Self {
        Self::new(Place::Server(Postgres::start()))
    }

    /// One on each database.
    pub(crate) fn both() -> [Self; 2] {
        [Self::sqlite(), Self::postgres()]
    }

    fn new(place: Place) -> Self {
        let clock = ManualClock::at(Timestamp::from_seconds(1_000));
        Self {
            registry: open(&place.url()).clock(clock.clone()),
            clock,
            author: text("ana"),
            place,
        }
    }

    /// Another instance on the same database.
    pub(crate) fn another(&self) -> Registry {
        open(&self.place.url()).clock(self.clock.clone())
    }

    /// The address, and the server when it is one.
    pub(crate) fn url(&self) -> String {
        self.place.url()
    }

    pub(crate) fn server(&mut self) -> &mut Postgres {
        match &mut self.place {
            Place::Server(server) => server,
            Place::File(_) => panic!("there is no server"),
        }
    }

    pub(crate) fn file(&self) -> std::path::PathBuf {
        match &self.place {
            Place::File(folder) => folder.path().join("consumers.db"),
            Place::Server(_) => panic!("there is no file"),
        }
    }

    pub(crate) async fn create(&self, id: &str) -> Text {
        let new = NewConsumer::new(text(id));
        self.registry.create(&new, &self.author).await.unwrap();
        new.id
    }
}

impl Place {
    fn url(&self) -> String {
        match self {
            Self::File(folder) => format!("sqlite:{}/consumers.db", folder.path().display()),
            Self::Server(server) => server.url(),
        }
    }
}

pub(crate) fn open(url: &str) -> Registry {
    Registry::open(&url.parse().unwrap(), PATIENCE).unwrap()
}

pub(crate) fn text(text: &str) -> Text {
    text.parse().unwrap()
}

pub(crate) fn name(name: &str) -> Name {
    name.parse().unwrap()
}

pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}
