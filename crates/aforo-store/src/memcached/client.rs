//! Memcached's meta protocol, as far as the store needs it.
//!
//! The commands are those of `doc/protocol.txt` of Memcached 1.6: `mg` reads a value, `ms` writes
//! one, `md` removes one, each with flags for compare-and-swap.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::failure::Failure;

/// The longest line that an answer has.
const LONGEST_LINE: usize = 512;
/// The largest value that is read: what Memcached keeps at most by default.
const LARGEST_VALUE: usize = 1 << 20;

/// A connection.
#[derive(Debug)]
pub(super) struct Client {
    stream: BufReader<TcpStream>,
}

/// A value with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Versioned {
    pub(super) bytes: Vec<u8>,
    /// Changes with every write; what a write has to name.
    pub(super) cas: u64,
}

/// What a value must be for a write to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Not there.
    Absent,
    /// Of this version.
    Cas(u64),
}

impl Client {
    /// Connects to `HOST:PORT`.
    pub(super) async fn connect(address: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let stream = BufReader::new(stream);
        Ok(Self { stream })
    }

    /// The values of these keys, in their order, in one round trip.
    pub(super) async fn get(&mut self, keys: &[String]) -> Result<Vec<Option<Versioned>>, Failure> {
        let mut asked = String::new();
        for key in keys {
            asked.push_str("mg ");
            asked.push_str(key);
            asked.push_str(" c v\r\n");
        }
        self.send(asked.as_bytes()).await?;
        let mut values = Vec::with_capacity(keys.len());
        for _ in keys {
            values.push(self.value().await?);
        }
        Ok(values)
    }

    /// Writes a value; says whether it was as expected.
    pub(super) async fn set(
        &mut self,
        key: &str,
        bytes: &[u8],
        expiry: u64,
        expected: Expected,
    ) -> Result<bool, Failure> {
        let flags = match expected {
            Expected::Absent => "ME".to_owned(),
            Expected::Cas(cas) => format!("C{cas}"),
        };
        let mut asked = format!("ms {key} {} T{expiry} {flags}\r\n", bytes.len()).into_bytes();
        asked.extend_from_slice(bytes);
        asked.extend_from_slice(b"\r\n");
        self.send(&asked).await?;
        self.done().await
    }

    /// Removes a value; says whether it was as expected.
    pub(super) async fn delete(&mut self, key: &str, cas: u64) -> Result<bool, Failure> {
        self.send(format!("md {key} C{cas}\r\n").as_bytes()).await?;
        self.done().await
    }

    async fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.stream.write_all(bytes).await?)
    }

    async fn done(&mut self) -> Result<bool, Failure> {
        let line = self.line().await?;
        match line.split(' ').next() {
            Some("HD") => Ok(true),
            // Not stored, another version, not there.
            Some("NS" | "EX" | "NF") => Ok(false),
            _ => Err(refused(&line)),
        }
    }

    async fn value(&mut self) -> Result<Option<Versioned>, Failure> {
        let line = self.line().await?;
        let mut words = line.split(' ');
        match words.next() {
            Some("EN") => return Ok(None),
            Some("VA") => {}
            _ => return Err(refused(&line)),
        }
        let size = words.next().and_then(|word| word.parse::<usize>().ok());
        let size = size.filter(|size| *size <= LARGEST_VALUE);
        let cas = words.find_map(|word| word.strip_prefix('c')?.parse().ok());
        let (Some(size), Some(cas)) = (size, cas) else {
            return Err(refused(&line));
        };
        let mut bytes = vec![0; size.saturating_add(2)];
        self.stream.read_exact(&mut bytes).await?;
        let bytes = bytes.strip_suffix(b"\r\n").ok_or_else(|| refused(&line))?;
        Ok(Some(Versioned {
            bytes: bytes.to_vec(),
            cas,
        }))
    }

    /// A line without its end.
    async fn line(&mut self) -> Result<String, Failure> {
        let mut line = Vec::new();
        loop {
            match self.stream.read_u8().await? {
                b'\n' => break,
                byte => line.push(byte),
            }
            if line.len() > LONGEST_LINE {
                return Err(io::Error::other("a line of an answer is too long").into());
            }
        }
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        Ok(String::from_utf8_lossy(line).into_owned())
    }
}

/// An answer that says that the server cannot or will not do it.
fn refused(line: &str) -> Failure {
    Failure::Refused(format!("Memcached answered `{}`", line.escape_debug()))
}
