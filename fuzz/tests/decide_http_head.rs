//! Heads of HTTP/1.1 that the decision service reads itself: never panics, and whatever it takes for a
//! question is one for a reader that knows no more than lines.

// The program is no library: its reader uses nothing of the crate around it.
#[path = "../../crates/aforo-server/src/decide/http/head.rs"]
#[allow(dead_code, unreachable_pub, missing_docs)]
mod head;

use head::{Begins, Whole, read};

const TOKENS: [&str; 32] = [
    "POST /v1/decide HTTP/1.1\r\n",
    "POST /v1/decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n",
    "POST ",
    "GET ",
    "/v1/decide",
    "http://a/v1/decide",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    "\r\n",
    "\r\n\r\n",
    "\n",
    "content-length: ",
    "Content-Length: 2\r\n",
    "content-length:2\r\n",
    "content-length: 2\r\n\r\n{}",
    "content-length: 0\r\n\r\n",
    "2",
    "+2",
    "2, 2",
    "18446744073709551616",
    "transfer-encoding: chunked\r\n",
    "Transfer-Encoding : chunked\r\n",
    "connection: keep-alive\r\n",
    "connection: close\r\n",
    "expect: 100-continue\r\n",
    "host: a\r\n",
    "authorization: Bearer a\r\n",
    "{}",
    " ",
    "\t",
    ":",
    "é",
];

fn is_sound(bytes: &[u8], whole: &Whole<'_>) {
    let question = bytes.get(..whole.length).unwrap_or_default();
    assert_eq!(question.len(), whole.length, "no more than came");
    assert!(question.ends_with(whole.body));
    let head = question.strip_suffix(whole.body).unwrap_or_default();
    let head = std::str::from_utf8(head).unwrap_or_default();
    // Of which the first is the request's.
    let lines: Vec<&str> = head.lines().filter(|line| !line.is_empty()).collect();
    let values = |name: &str| -> Vec<&str> {
        let fields = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
        let named = fields.filter(|(said, _)| said.trim_end().eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.trim()).collect()
    };
    if let Some(line) = lines.first() {
        assert!(
            line.starts_with("POST ") && line.ends_with(" HTTP/1.1"),
            "{line:?}"
        );
        assert_eq!(values("content-length"), [whole.body.len().to_string()]);
        assert!(values("transfer-encoding").is_empty());
        assert!(values("expect").is_empty());
        assert!(values("host").len() <= 1);
    }
}

#[test]
fn what_is_a_question_is_one_for_everybody() {
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let sentence = aforo_fuzz::sentence(&TOKENS, bytes).into_bytes();
            for bytes in [bytes, &sentence] {
                if let Begins::Question(whole) = read(bytes) {
                    is_sound(bytes, &whole);
                }
            }
        });
}
