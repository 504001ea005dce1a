//! Replies as a client reads them: RESP2, and what RESP3 says otherwise.

/// Replies, written one after the other.
pub(super) struct Reply<'o> {
    out: &'o mut Vec<u8>,
    resp3: bool,
}

impl<'o> Reply<'o> {
    pub(super) const fn new(out: &'o mut Vec<u8>, resp3: bool) -> Self {
        Self { out, resp3 }
    }

    /// A short text without line ends.
    pub(super) fn simple(&mut self, text: &str) {
        self.line(b'+', text.as_bytes());
    }

    /// An error: a word that programs know, then a sentence. Line ends and what is not printed
    /// become dots.
    pub(super) fn error(&mut self, text: &str) {
        self.out.push(b'-');
        let plain = |byte: u8| {
            if byte.is_ascii_graphic() || byte == b' ' {
                byte
            } else {
                b'.'
            }
        };
        self.out.extend(text.bytes().map(plain));
        self.end();
    }

    pub(super) fn integer(&mut self, number: i64) {
        self.number(b':', number);
    }

    pub(super) fn bulk(&mut self, bytes: &[u8]) {
        self.number(b'$', length(bytes.len()));
        self.out.extend_from_slice(bytes);
        self.end();
    }

    /// So many replies follow.
    pub(super) fn array(&mut self, count: usize) {
        self.number(b'*', length(count));
    }

    /// So many pairs of replies follow.
    pub(super) fn map(&mut self, pairs: usize) {
        if self.resp3 {
            self.number(b'%', length(pairs));
        } else {
            self.array(pairs.saturating_mul(2));
        }
    }

    /// Nothing.
    pub(super) fn null(&mut self) {
        self.out
            .extend_from_slice(if self.resp3 { b"_\r\n" } else { b"*-1\r\n" });
    }

    fn number(&mut self, kind: u8, number: i64) {
        let mut digits = itoa::Buffer::new();
        self.line(kind, digits.format(number).as_bytes());
    }

    fn line(&mut self, kind: u8, text: &[u8]) {
        self.out.push(kind);
        self.out.extend_from_slice(text);
        self.end();
    }

    fn end(&mut self) {
        self.out.extend_from_slice(b"\r\n");
    }
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(resp3: bool, write: impl FnOnce(&mut Reply<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut Reply::new(&mut out, resp3));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn replies_are_those_of_both_versions() {
        assert_eq!(written(false, |reply| reply.simple("OK")), "+OK\r\n");
        assert_eq!(written(false, |reply| reply.integer(-1)), ":-1\r\n");
        assert_eq!(
            written(false, |reply| reply.bulk(b"a\r\n")),
            "$3\r\na\r\n\r\n"
        );
        assert_eq!(written(false, |reply| reply.map(2)), "*4\r\n");
        assert_eq!(written(true, |reply| reply.map(2)), "%2\r\n");
        assert_eq!(written(false, |reply| reply.null()), "*-1\r\n");
        assert_eq!(written(true, |reply| reply.null()), "_\r\n");
    }

    #[test]
    fn an_error_is_one_line_whatever_it_quotes() {
        let error = written(false, |reply| reply.error("ERR no 'a\r\n+OK\u{7f}é'"));
        assert_eq!(error, "-ERR no 'a..+OK...'\r\n");
    }
}
