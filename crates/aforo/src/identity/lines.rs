//! The lines of one header.

use ::http::{HeaderMap, HeaderName, HeaderValue};

/// Up to so many headers, a look at each name costs less than the hash of one.
const FEW: usize = 16;

/// A header that comes more than once.
pub(super) struct Twice;

/// Whether a header is there.
pub(super) fn is_there(headers: &HeaderMap, name: &HeaderName) -> bool {
    match headers.keys_len() {
        ..=FEW => headers.keys().any(|sent| sent == name),
        _ => headers.contains_key(name),
    }
}

/// The only line of a header.
pub(super) fn only<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, Twice> {
    let is_it = |(sent, line): (&'a HeaderName, &'a HeaderValue)| (sent == name).then_some(line);
    match headers.keys_len() {
        ..=FEW => first_of_one(headers.iter().filter_map(is_it)),
        _ => first_of_one(headers.get_all(name).iter()),
    }
}

fn first_of_one<T>(mut lines: impl Iterator<Item = T>) -> Result<Option<T>, Twice> {
    let line = lines.next();
    match lines.next() {
        None => Ok(line),
        Some(_) => Err(Twice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_found_among_few_and_among_many() {
        let (once, twice) = (
            HeaderName::from_static("once"),
            HeaderName::from_static("twice"),
        );
        let nowhere = HeaderName::from_static("nowhere");
        for others in 0..40 {
            let mut headers = HeaderMap::new();
            for other in 0..others {
                let name = HeaderName::try_from(format!("x-{other}")).unwrap();
                headers.insert(name, HeaderValue::from_static("other"));
            }
            headers.append(&twice, HeaderValue::from_static("1"));
            headers.append(&once, HeaderValue::from_static("line"));
            headers.append(&twice, HeaderValue::from_static("2"));
            assert_eq!(only(&headers, &once).ok().flatten().unwrap(), "line");
            assert!(only(&headers, &twice).is_err());
            assert!(matches!(only(&headers, &nowhere), Ok(None)));
            assert!(is_there(&headers, &once) && is_there(&headers, &twice));
            assert!(!is_there(&headers, &nowhere));
        }
    }
}
