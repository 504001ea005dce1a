//! Connections that change to another protocol (WebSocket and others): bytes both ways, until
//! both sides are done.

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tracing::debug;

use super::upstream::UpstreamBody;

/// Joins the client with the upstream once both have changed protocols. The upstream counts it as
/// outstanding as long as it lasts.
pub(super) fn open(client: OnUpgrade, upstream: OnUpgrade, held: UpstreamBody) {
    tokio::task::spawn_local(async move {
        match tokio::try_join!(client, upstream) {
            Ok((client, upstream)) => {
                let (mut client, mut upstream) = (TokioIo::new(client), TokioIo::new(upstream));
                if let Err(error) = copy_bidirectional(&mut client, &mut upstream).await {
                    debug!(%error, "an upgraded connection broke off");
                }
            }
            Err(error) => debug!(%error, "a connection did not change protocols"),
        }
        drop(held);
    });
}
