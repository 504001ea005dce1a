//! Fields written into one piece of memory.

use std::ops::Range;

use ::http::{HeaderName, HeaderValue};
use bytes::Bytes;
use smallvec::SmallVec;

/// Fields written one after the other into one piece of memory, which their values then share.
#[derive(Debug)]
pub(super) struct Rendered {
    text: Vec<u8>,
    fields: SmallVec<[(HeaderName, Range<usize>); 6]>,
}

impl Rendered {
    /// Room for fields of so many bytes in all.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: Vec::with_capacity(bytes),
            fields: SmallVec::new(),
        }
    }

    /// Adds a field whose value `write` writes.
    pub(super) fn field(&mut self, name: HeaderName, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.text.len();
        write(&mut self.text);
        self.fields.push((name, start..self.text.len()));
    }

    /// The fields. A value that no header can hold is left out.
    pub(super) fn into_fields(self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let text = Bytes::from(self.text);
        self.fields.into_iter().filter_map(move |(name, range)| {
            let value = HeaderValue::from_maybe_shared(text.slice(range)).ok()?;
            Some((name, value))
        })
    }
}
