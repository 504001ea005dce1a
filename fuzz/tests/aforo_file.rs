//! The aforo file: never panics; every error has a place and can be shown.

use std::path::Path;

use aforo_policy::Settings;
use aforo_policy::file::Environment;

struct Nothing;

impl Environment for Nothing {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, _: &Path) -> std::io::Result<String> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

const TOKENS: [&str; 40] = [
    "\n",
    "[gateway]\n",
    "[edge]\n",
    "[identity]\n",
    "[plans.free]\n",
    "[plans.anonymous]\n",
    "[policies.p]\n",
    "[[routes]]\n",
    "[[groups]]\n",
    "[[consumers]]\n",
    "[responses]\n",
    "[paths]\n",
    "[stores.default]\n",
    "[teams.t]\n",
    "policies = ",
    "quota = ",
    "match = ",
    "listen = ",
    "upstream = ",
    "id = ",
    "plan = ",
    "api_key = ",
    "partition_by = ",
    "include = ",
    "[\"",
    "\"]",
    "\"",
    "60/minute",
    " burst 10",
    "gcra",
    "@p",
    "POST /a/{b}",
    "body:/x | form:x",
    "1",
    "0",
    "{ ",
    " }",
    ", ",
    "127.0.0.1:80",
    "${X}",
];

#[test]
fn aforo_file_never_panics() {
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let text = aforo_fuzz::sentence(&TOKENS, bytes);
            if let Err(error) = Settings::parse("fuzz.toml", &text, &Nothing) {
                assert!(
                    !error.findings().is_empty(),
                    "refused without a reason: {text:?}"
                );
                assert!(
                    error
                        .findings()
                        .iter()
                        .all(|finding| finding.line >= 1 && finding.column >= 1),
                    "no place: {text:?}"
                );
                assert!(!error.to_string().is_empty());
            }
        });
}
