//! A client that sends exactly the bytes it is given.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

/// One connection, HTTP/1.1.
pub(crate) struct RawClient {
    stream: TcpStream,
    unread: Vec<u8>,
}

/// A response as it came.
#[derive(Clone, Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

const PATIENCE: Duration = Duration::from_secs(20);

impl RawClient {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::of(TcpStream::connect(address).unwrap())
    }

    /// From another loopback address.
    pub(crate) fn connect_from(local: IpAddr, address: SocketAddr) -> Self {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::new(local, 0).into()).unwrap();
        socket.connect(&address.into()).unwrap();
        Self::of(socket.into())
    }

    fn of(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let unread = Vec::new();
        Self { stream, unread }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Sends what the other side may not want any more.
    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// No more will be sent.
    pub(crate) fn finish(&mut self) -> &mut Self {
        let _ = self.stream.shutdown(Shutdown::Write);
        self
    }

    /// A request without a body; `fields` are whole lines, each with its end.
    pub(crate) fn ask(&mut self, method: &str, target: &str, fields: &str) -> RawResponse {
        self.send(format!(
            "{method} {target} HTTP/1.1\r\nhost: api.example\r\n{fields}\r\n"
        ));
        self.response_to(method)
    }

    /// Whether no byte of an answer comes for so long.
    pub(crate) fn hears_nothing_for(&mut self, span: Duration) -> bool {
        self.stream.set_read_timeout(Some(span)).unwrap();
        let silent = matches!(
            self.stream.peek(&mut [0]).map_err(|error| error.kind()),
            Err(io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
        );
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        silent
    }

    pub(crate) fn get(&mut self, target: &str) -> RawResponse {
        self.ask("GET", target, "")
    }

    pub(crate) fn response(&mut self) -> RawResponse {
        self.response_to("GET")
    }

    pub(crate) fn response_to(&mut self, method: &str) -> RawResponse {
        let response = self.head();
        let bodyless = method == "HEAD" || matches!(response.status, 100..200 | 204 | 304);
        let body = match (bodyless, response.field("content-length")) {
            (true, _) => Vec::new(),
            (false, Some(length)) => self.exactly(length.parse().unwrap()),
            (false, None) if response.field("transfer-encoding") == Some("chunked") => {
                self.chunks()
            }
            (false, None) => self.rest(),
        };
        RawResponse { body, ..response }
    }

    /// Only the head of a response.
    pub(crate) fn head(&mut self) -> RawResponse {
        let head = String::from_utf8(self.until(b"\r\n\r\n")).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = Vec::new();
        RawResponse { status, head, body }
    }

    /// The next bytes, as many as wanted.
    pub(crate) fn exactly(&mut self, length: usize) -> Vec<u8> {
        while self.unread.len() < length {
            assert!(self.more().unwrap() > 0, "the connection ended early");
        }
        self.unread.drain(..length).collect()
    }

    /// The bytes up to and with `end`.
    pub(crate) fn until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            let found = self.unread.windows(end.len()).position(|part| part == end);
            if let Some(start) = found {
                return self.unread.drain(..start + end.len()).collect();
            }
            let read = self.more().unwrap();
            let so_far = String::from_utf8_lossy(&self.unread);
            assert!(read > 0, "the connection ended after {so_far:?}");
        }
    }

    /// Everything until the connection ends, however it ends.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.more().is_ok_and(|read| read > 0) {}
        std::mem::take(&mut self.unread)
    }

    /// Whether the connection ended, and with nothing before.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.unread.is_empty() && !self.more().is_ok_and(|read| read > 0)
    }

    fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let chunk = self.chunk();
            if chunk.is_empty() {
                self.until(b"\r\n");
                return body;
            }
            body.extend(chunk);
        }
    }

    /// One chunk of a chunked body; empty at its end (trailers are then unread).
    pub(crate) fn chunk(&mut self) -> Vec<u8> {
        let line = String::from_utf8(self.until(b"\r\n")).unwrap();
        let length = usize::from_str_radix(line.trim(), 16).unwrap();
        let chunk = self.exactly(length);
        if length > 0 {
            assert_eq!(self.exactly(2), b"\r\n");
        }
        chunk
    }

    fn more(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 16 * 1024];
        let read = self.stream.read(&mut buffer)?;
        self.unread.extend_from_slice(&buffer[..read]);
        Ok(read)
    }
}

impl RawResponse {
    /// The one value of a field; several of the same name fail.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let values = self.fields(name);
        assert!(values.len() < 2, "{name} more than once: {}", self.head);
        values.first().copied()
    }

    /// All values of a field.
    pub(crate) fn fields(&self, name: &str) -> Vec<&str> {
        let lines = self.head.lines().skip(1);
        lines
            .filter_map(|line| line.split_once(':'))
            .filter(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}
