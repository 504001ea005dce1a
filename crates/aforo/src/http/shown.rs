//! What may be shown of a request's policies.

use aforo_core::{Outcome, Quota};
use smallvec::SmallVec;

/// The policies of a request, as far as the fields and bodies may speak of them.
#[derive(Debug, Default)]
pub struct Shown<'a> {
    /// Every policy that was charged or would have been, in order.
    pub policies: SmallVec<[ShownPolicy<'a>; 6]>,
    /// The caller's plan.
    pub plan: Option<&'a str>,
}

/// One policy of a request.
#[derive(Clone, Copy, Debug)]
pub struct ShownPolicy<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether name and numbers may be shown, or only Retry-After.
    pub disclosed: bool,
    /// Whether it denied this request.
    pub violated: bool,
    /// Its quota; `None` for quota 0.
    pub quota: Option<&'a Quota>,
    /// Its outcome; `None` for quota 0.
    pub outcome: Option<Outcome>,
}
