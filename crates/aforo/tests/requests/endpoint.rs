//! An HTTP endpoint that answers as told, and counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// An endpoint on a port of its own.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    inner: Arc<Inner>,
}

struct Inner {
    answer: Mutex<(u16, String)>,
    requests: Mutex<Vec<String>>,
    connections: AtomicU64,
}

impl Endpoint {
    pub(crate) async fn start(status: u16, body: impl Into<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/ask?me=1", listener.local_addr().unwrap());
        let inner = Arc::new(Inner {
            answer: Mutex::new((status, body.into())),
            requests: Mutex::default(),
            connections: AtomicU64::new(0),
        });
        let served = Arc::clone(&inner);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                served.connections.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(stream, Arc::clone(&served)));
            }
        });
        Self { url, inner }
    }

    pub(crate) fn answers(&self, status: u16, body: impl Into<String>) {
        *self.inner.answer.lock().unwrap() = (status, body.into());
    }

    /// What was asked so far: head and body of each request.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.inner.requests.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> u64 {
        self.inner.connections.load(Ordering::Relaxed)
    }
}

async fn serve(stream: TcpStream, inner: Arc<Inner>) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse::<usize>().unwrap())
        });
        let mut body = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut body).await.unwrap();
        inner
            .requests
            .lock()
            .unwrap()
            .push(head + &String::from_utf8(body).unwrap());
        let (status, body) = inner.answer.lock().unwrap().clone();
        let answer = format!(
            "HTTP/1.1 {status} Whatever\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.get_mut().write_all(answer.as_bytes()).await.unwrap();
    }
}
