//! How a request without a body is written.

use http::Request;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};

/// Writes the head of a request without a body, in origin form. Nothing in it can break a line:
/// the types hold no CR and no LF. `lines` are fields that are written already, each
/// with its end.
pub(super) fn write<B>(request: &Request<B>, lines: &[u8], into: &mut Vec<u8>) {
    let target = request.uri().path_and_query();
    into.extend_from_slice(request.method().as_str().as_bytes());
    into.push(b' ');
    into.extend_from_slice(target.map_or("/", |target| target.as_str()).as_bytes());
    into.extend_from_slice(b" HTTP/1.1\r\n");
    for (name, value) in request.headers() {
        // There is no body, whatever a field says of one.
        let frames = name == TRANSFER_ENCODING || (name == CONTENT_LENGTH && value != "0");
        if !frames {
            into.extend_from_slice(name.as_str().as_bytes());
            into.extend_from_slice(b": ");
            into.extend_from_slice(value.as_bytes());
            into.extend_from_slice(b"\r\n");
        }
    }
    into.extend_from_slice(lines);
    into.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(request: http::request::Builder) -> String {
        let mut bytes = Vec::new();
        write(&request.body(()).unwrap(), b"", &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_head_is_a_line_and_fields_in_order() {
        let request = Request::get("/a/b?c=%20d")
            .header("host", "api.example")
            .header("x-end", "one")
            .header("x-end", "two")
            .header("accept", "*/*");
        assert_eq!(
            written(request),
            "GET /a/b?c=%20d HTTP/1.1\r\nhost: api.example\r\nx-end: one\r\nx-end: two\r\n\
             accept: */*\r\n\r\n"
        );
    }

    #[test]
    fn written_lines_stand_after_the_fields() {
        let request = Request::get("/").header("host", "a").body(()).unwrap();
        let mut bytes = Vec::new();
        write(&request, b"x-one: 1\r\nx-two: 2\r\n", &mut bytes);
        let text = "GET / HTTP/1.1\r\nhost: a\r\nx-one: 1\r\nx-two: 2\r\n\r\n";
        assert_eq!(bytes, text.as_bytes());
    }

    #[test]
    fn a_head_announces_no_body() {
        let request = Request::delete("/x")
            .header("content-length", "7")
            .header("transfer-encoding", "chunked");
        assert_eq!(written(request), "DELETE /x HTTP/1.1\r\n\r\n");
        let request = Request::post("/x").header("content-length", "0");
        let text = "POST /x HTTP/1.1\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(written(request), text);
    }

    #[test]
    fn a_target_without_a_path_is_the_root() {
        let request = Request::options("http://app.example");
        assert_eq!(written(request), "OPTIONS / HTTP/1.1\r\n\r\n");
    }
}
