//! What the tests of the program stand on.

mod folder;
mod http2_client;
mod program;
mod raw_client;
mod raw_upstream;
mod upstream;

pub(crate) use folder::Folder;
pub(crate) use http2_client::Http2Client;
pub(crate) use program::{Program, Verdict};
pub(crate) use raw_client::{RawClient, RawResponse};
pub(crate) use raw_upstream::RawUpstream;
pub(crate) use upstream::{Upstream, stream_of};
