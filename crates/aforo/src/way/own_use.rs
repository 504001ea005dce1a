//! A caller that asks for nothing but how its own policies stand.

use ::http::request::Parts;
use ::http::{Method, Response};
use aforo_policy::{CanonicalPath, Place};

use super::Entry;
use super::door::Door;
use crate::http::OwnUse;
use crate::taking::{How, Line, Lines, Receipts, Taking};
use crate::{AnswerBody, Decided};

impl Door {
    /// Whether a request asks for nothing but how the caller's own policies stand.
    pub(super) fn asks_own_use(&self, parts: &Parts, path: &CanonicalPath<'_>) -> bool {
        let gateway = self.setup.settings().gateway.as_ref();
        let limits_path = gateway.and_then(|gateway| gateway.limits_path.as_deref());
        limits_path == Some(path.matched())
            && matches!(parts.method, Method::GET | Method::HEAD)
            && self.place == Place::Gateway
    }
}

impl Entry {
    /// How the caller's own policies stand; takes nothing.
    pub(super) async fn own_use(&self, parts: &Parts) -> Response<AnswerBody> {
        let (door, fixed) = (&self.door, self.door.fixed());
        let own = door
            .setup
            .policies
            .own_charges(&self.caller, door.place, door.now, &fixed.key);
        let planned = &own.charges.planned;
        let mut lines: Lines = planned.iter().map(Line::alone).collect();
        let mut receipts = Receipts::default();
        let mut taking = Taking::new(&mut lines, &mut receipts);
        taking.put(door.put(&own.charges, How::Look)).await;
        let mut told = OwnUse::of(&self.caller);
        for ((line, planned), route) in lines.iter().zip(planned).zip(&own.routes) {
            if let Some(standing) = line.standing() {
                told.push(planned.scope, *route, &standing);
            }
        }
        fixed.observer.decided(Decided::Answered(200));
        let gateway = door.setup.settings().gateway.as_ref();
        let cors = gateway.and_then(|gateway| gateway.cors.as_ref());
        told.answer(&parts.headers, cors)
    }
}
