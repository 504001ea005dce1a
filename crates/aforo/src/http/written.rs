//! Values of fields that are written for one response.

use std::cell::Cell;

use ::http::HeaderValue;

/// The most bytes that a thread keeps to write in.
const MOST_KEPT: usize = 4096;

thread_local! {
    /// Where a thread writes, so that a value takes no more memory than it has bytes.
    static PAGE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The value that `write` writes; `None` when no header can hold it.
#[inline]
pub(super) fn value(write: impl FnOnce(&mut Vec<u8>)) -> Option<HeaderValue> {
    let mut page = PAGE.try_with(Cell::take).unwrap_or_default();
    page.clear();
    write(&mut page);
    let value = HeaderValue::from_bytes(&page).ok();
    if page.capacity() <= MOST_KEPT {
        // A thread that ends keeps nothing.
        let _ends = PAGE.try_with(|kept| kept.set(page));
    }
    value
}

/// The value of a whole number. It has memory of its own: a piece that several values share
/// would be counted by each of them, which costs more than its bytes.
#[inline]
pub(super) fn number(value: u64) -> Option<HeaderValue> {
    HeaderValue::from_str(itoa::Buffer::new().format(value)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_written_while_another_is_do_not_mix() {
        let inner = Cell::new(None);
        let outer = value(|out| {
            out.extend_from_slice(b"outer ");
            inner.set(value(|out| out.extend_from_slice(b"inner")));
            out.extend_from_slice(b"value");
        });
        assert_eq!(outer.unwrap(), "outer value");
        assert_eq!(inner.take().unwrap(), "inner");
        assert_eq!(value(|_| {}).unwrap(), "");
    }

    #[test]
    fn what_no_header_can_hold_is_no_value() {
        assert_eq!(value(|out| out.extend_from_slice(b"a\r\nb")), None);
        assert_eq!(value(|out| out.push(0)), None);
    }

    #[test]
    fn a_long_page_is_not_kept() {
        let long = value(|out| out.resize(MOST_KEPT + 1, b'x')).unwrap();
        assert_eq!(long.len(), MOST_KEPT + 1);
        assert_eq!(PAGE.take().capacity(), 0);
    }

    #[test]
    fn numbers_are_decimal_digits() {
        assert_eq!(number(0).unwrap(), "0");
        assert_eq!(number(u64::MAX).unwrap(), "18446744073709551615");
    }
}
