//! What may be shown of a request's policies.

use aforo_core::{Outcome, Quota};
use smallvec::SmallVec;

/// The policies of a request, as far as the fields and bodies may speak of them.
#[derive(Clone, Debug, Default)]
pub struct Shown<'a> {
    /// Every enforced policy that was charged or would have been, in order; no shadow policies.
    pub policies: SmallVec<[ShownPolicy<'a>; 6]>,
    /// The caller's plan.
    pub plan: Option<&'a str>,
    /// Where the caller gets a larger plan.
    pub upgrade_url: Option<&'a str>,
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
    /// Its outcome; `None` for quota 0, and when the store failed.
    pub outcome: Option<Outcome>,
    /// Units that the request took of it; zero when it was denied.
    pub taken: u64,
}
