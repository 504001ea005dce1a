//! What can go wrong with a call.

use std::io;

use crate::StoreError;

/// A call that came to no end.
#[derive(Debug)]
pub(super) enum Failure {
    /// Another call changed a value in between: it can be tried again.
    Conflict,
    /// The connection is of no use any more.
    Broken(String),
    /// The same before anything was read, so that nothing was written either.
    Unread(String),
    /// The server answered that it will not do it.
    Refused(String),
    /// The store fails.
    Store(StoreError),
}

impl Failure {
    /// The failure of a call that has only read.
    pub(super) fn unread(self) -> Self {
        match self {
            Self::Broken(problem) => Self::Unread(problem),
            other => other,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Conflict => Self::Unavailable("too many calls on the same value".to_owned()),
            Failure::Broken(problem) | Failure::Unread(problem) | Failure::Refused(problem) => {
                Self::Unavailable(problem)
            }
            Failure::Store(error) => error,
        }
    }
}
