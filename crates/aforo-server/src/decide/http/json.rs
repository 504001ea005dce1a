//! JSON, written at the end of the bytes of an answer.
//!
//! By way of serde the writing of an answer costs more than the decision, since every byte is looked
//! at by itself, those of the names too.

use http::{HeaderName, HeaderValue};

/// What can be written as JSON (RFC 8259).
pub(super) trait Json {
    /// Writes it at the end of `out`.
    fn write(&self, out: &mut Vec<u8>);
}

/// How the name of a member is written.
macro_rules! name {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
}
pub(super) use name;

/// An object that is being written. Where its brace belongs there is the comma of the first member
/// until it ends.
pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
    begin: usize,
}

impl<'o> Object<'o> {
    /// Begins one.
    pub(super) const fn begin(out: &'o mut Vec<u8>) -> Self {
        let begin = out.len();
        Self { out, begin }
    }

    /// A member, whose name is written as `name!` gives it.
    #[inline]
    pub(super) fn member(&mut self, name: &'static str, value: &(impl Json + ?Sized)) -> &mut Self {
        self.out.extend_from_slice(name.as_bytes());
        value.write(self.out);
        self
    }

    /// A member, if it is there.
    #[inline]
    pub(super) fn optional<J: Json>(&mut self, name: &'static str, value: Option<J>) -> &mut Self {
        match value {
            Some(value) => self.member(name, &value),
            None => self,
        }
    }

    /// A member whose name is a header's, which has no character that would need an escape (RFC
    /// 9110, section 5.6.2).
    #[inline]
    pub(super) fn header(&mut self, name: &HeaderName, value: &(impl Json + ?Sized)) {
        self.out.extend_from_slice(b",\"");
        self.out.extend_from_slice(name.as_str().as_bytes());
        self.out.extend_from_slice(b"\":");
        value.write(self.out);
    }

    /// Ends it.
    #[inline]
    pub(super) fn end(&mut self) {
        match self.out.get_mut(self.begin) {
            Some(comma) => *comma = b'{',
            None => self.out.push(b'{'),
        }
        self.out.push(b'}');
    }
}

impl Json for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl Json for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
    }
}

impl Json for u16 {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(*self).write(out);
    }
}

impl Json for str {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        match is_plain(self.as_bytes()) {
            true => quote(self.as_bytes(), out),
            false => escape(self.as_bytes(), out),
        }
    }
}

/// As a text; empty where it is none (RFC 9110, section 5.5).
impl Json for HeaderValue {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        match is_plain(self.as_bytes()) {
            true => quote(self.as_bytes(), out),
            false => escape(self.to_str().unwrap_or_default().as_bytes(), out),
        }
    }
}

#[inline]
fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

/// Writes a text, of which some bytes may not stand for themselves (RFC 8259, section 7).
fn escape(text: &[u8], out: &mut Vec<u8>) {
    let is_escaped = |byte: &u8| matches!(byte, 0..b' ' | b'"' | b'\\');
    out.push(b'"');
    let mut rest = text;
    while let Some(place) = rest.iter().position(is_escaped) {
        let (before, from) = rest.split_at(place);
        out.extend_from_slice(before);
        let Some((byte, after)) = from.split_first() else {
            break;
        };
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            byte => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Whether all bytes of a text are visible and stand for themselves; eight are looked at in one
/// step.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    let all = |bytes: &[u8]| {
        let plain = |byte: &u8| matches!(byte, b' '..=b'~') & (*byte != b'"') & (*byte != b'\\');
        bytes.iter().fold(true, |all, byte| all & plain(byte))
    };
    let (eights, rest) = text.as_chunks::<8>();
    eights.iter().all(|eight| all(eight)) && all(rest)
}

impl<J: Json + ?Sized> Json for &J {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).write(out);
    }
}

impl<J: Json> Json for [J] {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (place, item) in self.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            item.write(out);
        }
        out.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: &(impl Json + ?Sized)) -> String {
        let mut out = b">".to_vec();
        value.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_written_at_the_end() {
        assert_eq!(written(&true), ">true");
        assert_eq!(written(&u64::MAX), ">18446744073709551615");
        assert_eq!(written(&429_u16), ">429");
        assert_eq!(written(&[][..] as &[bool]), ">[]");
        assert_eq!(written(&["a", "b"][..]), r#">["a","b"]"#);
    }

    #[test]
    fn every_character_comes_back() {
        for character in ('\0'..='\u{ffff}').chain(['\u{10ffff}', '🙂']) {
            for text in [format!("{character}"), format!("a long text {character}.")] {
                let json = written(text.as_str());
                let read: String = serde_json::from_str(&json[1..]).unwrap();
                assert_eq!(read, text);
            }
        }
        assert_eq!(
            written("\"a\\b\"\n\u{7f}é"),
            ">\"\\\"a\\\\b\\\"\\n\u{7f}é\""
        );
    }

    #[test]
    fn members_are_there_or_not() {
        let mut out = Vec::new();
        Object::begin(&mut out).end();
        let mut object = Object::begin(&mut out);
        let (absent, there) = (None::<u64>, Some("c\"d"));
        object
            .optional(name!("a"), absent)
            .optional(name!("b"), there);
        object.header(&HeaderName::from_static("e-f"), "\\");
        let value = HeaderValue::from_static("a\tb");
        object.header(&HeaderName::from_static("i"), &value);
        let value = HeaderValue::from_bytes(b"\xe9").unwrap();
        object.header(&HeaderName::from_static("j"), &value);
        object
            .member(name!("g"), &false)
            .optional(name!("h"), absent)
            .end();
        let text = r#"{}{"b":"c\"d","e-f":"\\","i":"a\u0009b","j":"","g":false}"#;
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}
