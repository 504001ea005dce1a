//! What the connections of a worker read into and write with.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use super::date::Date;
use super::deciding::Decided;
use super::json::Json;
use super::problem::Problem;

/// The most bytes that are read at once, and that are kept to write in.
const ROOM: usize = 16 * 1024;

/// What the connections of a worker read into and write with, so that no idle one holds any.
#[derive(Debug)]
pub(super) struct Pen {
    input: RefCell<Box<[u8]>>,
    json: RefCell<Vec<u8>>,
    date: RefCell<Date>,
}

impl Pen {
    pub(super) fn new() -> Self {
        Self {
            input: RefCell::new(vec![0; ROOM].into()),
            json: RefCell::default(),
            date: RefCell::default(),
        }
    }

    /// Reads once; how many bytes came.
    pub(super) fn poll_read<S: AsyncRead + Unpin>(
        &self,
        stream: &mut S,
        unread: &mut Vec<u8>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let mut input = self.input.borrow_mut();
        let mut read = ReadBuf::new(&mut input);
        ready!(Pin::new(stream).poll_read(cx, &mut read))?;
        unread.extend_from_slice(read.filled());
        Poll::Ready(Ok(read.filled().len()))
    }

    /// Writes an answer with its head.
    pub(super) fn write(&self, decided: &Decided, out: &mut Vec<u8>) {
        let mut json = self.json.borrow_mut();
        json.clear();
        decided.answer().write(&mut json);
        out.reserve(json.len().saturating_add(512));
        out.extend_from_slice(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncache-control: no-store\r\n",
        );
        for (name, value) in decided.standing() {
            field(out, name.as_str(), value.as_bytes());
        }
        self.end(&json, out);
        json.clear();
        json.shrink_to(ROOM);
    }

    /// Writes why a question cannot be answered, with its head.
    pub(super) fn write_problem(&self, problem: Problem, out: &mut Vec<u8>) {
        let (status, body) = (problem.status, problem.document());
        out.extend_from_slice(format!("HTTP/1.1 {status}\r\n").as_bytes());
        for (name, value) in problem.fields() {
            field(out, name.as_str(), value.as_bytes());
        }
        self.end(&body, out);
    }

    /// What follows the fields that depend on the answer.
    fn end(&self, body: &[u8], out: &mut Vec<u8>) {
        let mut length = itoa::Buffer::new();
        field(out, "content-length", length.format(body.len()).as_bytes());
        field(out, "date", self.date.borrow_mut().now().as_bytes());
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body);
    }
}

fn field(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    for piece in [name.as_bytes(), b": ", value, b"\r\n"] {
        out.extend_from_slice(piece);
    }
}
