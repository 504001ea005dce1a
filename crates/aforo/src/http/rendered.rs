//! Fields written into one piece of memory.

use ::http::{HeaderName, HeaderValue};
use bytes::Bytes;
use smallvec::SmallVec;

/// Fields written one after the other into one piece of memory, which their values then share,
/// between fields whose values are known.
#[derive(Debug)]
pub(super) struct Rendered {
    text: Vec<u8>,
    fields: SmallVec<[(HeaderName, Value); 6]>,
}

#[derive(Debug)]
enum Value {
    Known(HeaderValue),
    /// So many bytes of the text, after those of the fields before.
    Written(usize),
}

impl Rendered {
    /// Room for values of so many bytes in all.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: Vec::with_capacity(bytes),
            fields: SmallVec::new(),
        }
    }

    /// Adds a field whose value `write` writes.
    #[inline]
    pub(super) fn field(&mut self, name: HeaderName, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.text.len();
        write(&mut self.text);
        let length = self.text.len().saturating_sub(start);
        self.fields.push((name, Value::Written(length)));
    }

    /// Adds a field whose value is known.
    #[inline]
    pub(super) fn known(&mut self, name: HeaderName, value: HeaderValue) {
        self.fields.push((name, Value::Known(value)));
    }

    /// Gives each field away. A value that no header can hold is left out.
    #[inline]
    pub(super) fn give(&mut self, mut take: impl FnMut(HeaderName, HeaderValue)) {
        let mut text = Bytes::from(std::mem::take(&mut self.text));
        for (name, value) in self.fields.drain(..) {
            match value {
                Value::Known(value) => take(name, value),
                Value::Written(length) => {
                    let written = text.split_to(length.min(text.len()));
                    if let Ok(value) = HeaderValue::from_maybe_shared(written) {
                        take(name, value);
                    }
                }
            }
        }
    }
}
