//! An upstream that answers with exactly the bytes a test wants.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

/// Accepts connections and gives each to a thread of its own, until the test's process ends.
pub(crate) struct RawUpstream {
    address: SocketAddr,
}

impl RawUpstream {
    pub(crate) fn new(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let serve = serve.clone();
                thread::spawn(move || serve(stream));
            }
        });
        Self { address }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}
