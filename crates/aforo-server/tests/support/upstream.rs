//! An upstream that remembers what it was asked.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body::{Body, Frame};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// What an upstream answers.
pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: Option<HeaderMap>,
}

/// An HTTP server, both versions, on threads of its own.
pub(crate) struct Upstream {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    runtime: Option<Runtime>,
}

impl Upstream {
    /// Answers 200 with `hello`.
    pub(crate) fn new() -> Self {
        Self::answering(|_| Response::new(Full::from("hello").boxed()))
    }

    /// Reads each request whole, remembers it, and answers.
    pub(crate) fn answering(answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let memory = Arc::clone(&seen);
        let answer = Arc::new(answer);
        let mut upstream = Self::serving(move |request| {
            let (memory, answer) = (Arc::clone(&memory), Arc::clone(&answer));
            async move {
                let (parts, body) = request.into_parts();
                let Ok(collected) = body.collect().await else {
                    return Response::new(Full::from("broken").boxed());
                };
                let seen = Seen {
                    method: parts.method,
                    target: parts.uri.path_and_query().unwrap().to_string(),
                    headers: parts.headers,
                    trailers: collected.trailers().cloned(),
                    body: collected.to_bytes(),
                };
                let response = answer(&seen);
                memory.lock().unwrap().push(seen);
                response
            }
        });
        upstream.seen = seen;
        upstream
    }

    /// Does with each request what it likes.
    pub(crate) fn serving<F>(
        serve: impl Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let (runtime, listener) = std::thread::spawn(started).join().unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serve = serve.clone();
                let service = service_fn(move |request| {
                    let answer = serve(request);
                    async { Ok::<_, Infallible>(answer.await) }
                });
                tokio::spawn(async move {
                    stream.set_nodelay(true).unwrap();
                    let server = auto::Builder::new(TokioExecutor::new());
                    let io = TokioIo::new(stream);
                    let _ = server.serve_connection_with_upgrades(io, service).await;
                });
            }
        });
        Self {
            address,
            seen: Arc::default(),
            runtime: Some(runtime),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it was asked so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// In a thread of its own, so that asynchronous tests can start one too.
fn started() -> (Runtime, TcpListener) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
    (runtime, listener.unwrap())
}

impl Drop for Upstream {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A body whose frames come when `next` gives them.
pub(crate) fn stream_of<F>(
    next: impl FnMut() -> F + Send + Sync + 'static,
) -> BoxBody<Bytes, Infallible>
where
    F: Future<Output = Option<Frame<Bytes>>> + Send + Sync + 'static,
{
    Streamed {
        next: Box::new(next),
        waiting: None,
    }
    .boxed()
}

type Boxed<F> = Box<dyn FnMut() -> F + Send + Sync>;

struct Streamed<F> {
    next: Boxed<F>,
    waiting: Option<std::pin::Pin<Box<F>>>,
}

impl<F: Future<Output = Option<Frame<Bytes>>>> Body for Streamed<F> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let waiting = this.waiting.get_or_insert_with(|| Box::pin((this.next)()));
        let frame = std::task::ready!(waiting.as_mut().poll(cx));
        this.waiting = None;
        std::task::Poll::Ready(frame.map(Ok))
    }
}
