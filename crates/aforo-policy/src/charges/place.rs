//! Where a policy is enforced.

use crate::{Place, Places};

impl Places {
    /// Whether a place is one of these.
    pub const fn hold(&self, place: Place) -> bool {
        match place {
            Place::Gateway => self.gateway,
            Place::App => self.app,
            Place::Decide => self.decide,
        }
    }
}
