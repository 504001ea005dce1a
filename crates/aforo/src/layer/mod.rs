//! The tower layer, for axum, tonic and plain hyper.

mod body;
mod future;
mod peer;
mod service;

pub use body::LimitedBody;
pub use future::LimitedFuture;
pub use peer::PeerAddress;
pub use service::Limited;

use tower_layer::Layer;

use crate::Limiter;

/// Puts a limiter before a service.
///
/// With axum's `Router::layer` it stands before every route the router has at that point and
/// knows which one matched (`MatchedPath`), so partitions and routes use the application's own
/// templates; requests that match no route pass it too when the layer is added after `fallback`
/// (or around the whole router). With `Router::route_layer` it runs only for requests that match
/// a route: unknown paths are then free.
#[derive(Clone)]
pub struct LimiterLayer {
    limiter: Limiter,
}

impl LimiterLayer {
    /// A layer of this limiter.
    pub const fn new(limiter: Limiter) -> Self {
        Self { limiter }
    }
}

impl<S> Layer<S> for LimiterLayer {
    type Service = Limited<S>;

    fn layer(&self, inner: S) -> Limited<S> {
        Limited::new(self.limiter.clone(), inner)
    }
}

impl Limiter {
    /// This limiter as a tower layer.
    pub fn layer(&self) -> LimiterLayer {
        LimiterLayer::new(self.clone())
    }
}
