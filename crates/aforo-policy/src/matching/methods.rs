//! Which methods a match takes.

use http::Method;

use crate::Methods;

impl Methods {
    /// Whether a request of this method is taken; HEAD counts as GET.
    pub fn take(&self, method: &Method) -> bool {
        match self {
            Self::Any => true,
            Self::Only(methods) => methods
                .iter()
                .any(|one| one == method || *one == Method::GET && *method == Method::HEAD),
        }
    }

    /// Whether some request is taken by both and neither is more specific.
    pub(crate) fn clash(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, Self::Any) => true,
            (Self::Only(ours), Self::Only(theirs)) => {
                ours.iter().any(|method| other.take(method))
                    || theirs.iter().any(|method| self.take(method))
            }
            _ => false,
        }
    }
}
