//! Path canonicalisation: never panics, answers a path that stays under the root, and a second
//! pass changes nothing.

use aforo_policy::{CanonicalPath, EncodedSlash, Paths, TrailingSlash};

const TOKENS: [&str; 24] = [
    "/", "//", ".", "..", "/./", "/../", ";", ";a=b", "%2e", "%2E%2e", "%2f", "%2F", "%5c", "%00",
    "%", "%4", "%41", "%zz", "a", "B", "é", "\\", "?", "#",
];

fn settings(byte: u8) -> Paths {
    Paths {
        case_sensitive: byte & 1 == 0,
        trailing_slash: if byte & 2 == 0 {
            TrailingSlash::Strict
        } else {
            TrailingSlash::Ignore
        },
        encoded_slash: if byte & 4 == 0 {
            EncodedSlash::Reject
        } else {
            EncodedSlash::Keep
        },
    }
}

#[test]
fn path_is_canonical_after_one_pass() {
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let Some((first, rest)) = bytes.split_first() else {
                return;
            };
            let paths = settings(*first);
            let raw = format!("/{}", aforo_fuzz::sentence(&TOKENS, rest));
            let Ok(once) = CanonicalPath::new(&raw, &paths) else {
                return;
            };
            let text = once.forwarded();
            assert!(text.starts_with('/'), "{raw:?} became {text:?}");
            assert!(
                !text.contains("//") && !text.contains(';'),
                "{raw:?} became {text:?}"
            );
            assert!(
                text.split('/')
                    .all(|segment| segment != "." && segment != ".."),
                "{raw:?} became {text:?}"
            );
            let twice = CanonicalPath::new(text, &paths).expect("a canonical path is accepted");
            assert_eq!(twice.forwarded(), text, "from {raw:?}");
            assert_eq!(twice.matched(), once.matched(), "from {raw:?}");
        });
}
