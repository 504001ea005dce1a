//! The two fields of a certificate (RFC 5280, section 4.1) that rustls-webpki checks and does not
//! show. What is read here was verified before.

use jiff::civil::DateTime;
use jiff::tz::Offset;

const INTEGER: u8 = 0x02;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const PRINTABLE_STRING: u8 = 0x13;
const IA5_STRING: u8 = 0x16;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
/// The version of a certificate.
const VERSION: u8 = 0xa0;

/// `id-at-commonName`, 2.5.4.3.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];

/// The last second at which a certificate is valid, in Unix seconds.
pub(super) fn not_after(certificate: &[u8]) -> Option<u64> {
    let mut signed = Elements(Elements(certificate).expect(SEQUENCE)?);
    let mut fields = Elements(signed.expect(SEQUENCE)?);
    if fields.0.first() == Some(&VERSION) {
        fields.next()?;
    }
    fields.expect(INTEGER)?;
    fields.expect(SEQUENCE)?;
    fields.expect(SEQUENCE)?;
    let mut validity = Elements(fields.expect(SEQUENCE)?);
    validity.next()?;
    let (tag, text) = validity.next()?;
    seconds(tag, text)
}

/// The common names of a subject, which is given without its outer `SEQUENCE`.
pub(super) fn common_names(subject: &[u8]) -> Vec<&str> {
    let sets = Elements(subject).filter_map(|(tag, set)| (tag == SET).then_some(set));
    sets.flat_map(Elements).filter_map(common_name).collect()
}

fn common_name((tag, attribute): (u8, &[u8])) -> Option<&str> {
    let mut attribute = Elements((tag == SEQUENCE).then_some(attribute)?);
    if attribute.expect(OBJECT_IDENTIFIER)? != COMMON_NAME {
        return None;
    }
    match attribute.next()? {
        (UTF8_STRING | PRINTABLE_STRING | IA5_STRING, text) => std::str::from_utf8(text).ok(),
        _ => None,
    }
}

/// `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ` (RFC 5280, section 4.1.2.5).
fn seconds(tag: u8, text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (year, rest) = match tag {
        UTC_TIME => {
            let (year, rest) = text.split_at_checked(2)?;
            let year: i16 = year.parse().ok()?;
            (
                year.saturating_add(if year < 50 { 2000 } else { 1900 }),
                rest,
            )
        }
        GENERALIZED_TIME => {
            let (year, rest) = text.split_at_checked(4)?;
            (year.parse().ok()?, rest)
        }
        _ => return None,
    };
    let part = |at: usize| rest.get(at..at.saturating_add(2))?.parse::<i8>().ok();
    let at = DateTime::new(year, part(0)?, part(2)?, part(4)?, part(6)?, part(8)?, 0).ok()?;
    u64::try_from(Offset::UTC.to_timestamp(at).ok()?.as_second()).ok()
}

/// Elements of DER that follow one another: tag and contents. It ends where something is no DER.
struct Elements<'d>(&'d [u8]);

impl<'d> Elements<'d> {
    /// The contents of the next one, when it has this tag.
    fn expect(&mut self, tag: u8) -> Option<&'d [u8]> {
        self.next()
            .and_then(|(found, contents)| (found == tag).then_some(contents))
    }
}

impl<'d> Iterator for Elements<'d> {
    type Item = (u8, &'d [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (tag, rest) = self.0.split_first()?;
        let (first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(*first), rest),
            0x81..=0x84 => {
                let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                let joined = |joined: usize, byte: &u8| (joined << 8) | usize::from(*byte);
                (length.iter().fold(0, joined), rest)
            }
            _ => return None,
        };
        let (contents, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((*tag, contents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_the_standard_writes_them() {
        // As `date -u -d` says.
        assert_eq!(seconds(UTC_TIME, b"300101000000Z"), Some(1_893_456_000));
        assert_eq!(seconds(UTC_TIME, b"700101000001Z"), Some(1));
        assert_eq!(
            seconds(GENERALIZED_TIME, b"20500101000000Z"),
            Some(2_524_608_000)
        );
        for odd in [
            &b"300101000000"[..],
            b"301301000000Z",
            b"3001010000Z",
            b"Z",
            b"",
        ] {
            assert_eq!(seconds(UTC_TIME, odd), None, "{odd:?}");
        }
        assert_eq!(seconds(SEQUENCE, b"300101000000Z"), None);
        assert_eq!(seconds(UTC_TIME, b"500101000000Z"), None, "before 1970");
    }

    #[test]
    fn lengths_beyond_the_end_and_indefinite_ones_are_the_end() {
        for odd in [
            &[][..],
            &[0x30],
            &[0x30, 0x01],
            &[0x30, 0x80, 0, 0],
            &[0x30, 0x81],
            &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
            &[0x30, 0x85, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(Elements(odd).next(), None, "{odd:?}");
            assert_eq!(not_after(odd), None);
            assert!(common_names(odd).is_empty());
        }
        let mut two = Elements(&[0x02, 0x81, 0x01, 7, 0x05, 0x00]);
        assert_eq!(two.next(), Some((INTEGER, &[7][..])));
        assert_eq!(two.next(), Some((0x05, &[][..])));
        assert_eq!(two.next(), None);
    }
}
