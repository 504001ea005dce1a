//! Ports that nobody listens on.

use std::collections::HashSet;
use std::net::TcpListener;
use std::sync::Mutex;

static GIVEN: Mutex<Option<HashSet<u16>>> = Mutex::new(None);

/// A port of the loopback address that is free now and that was not given before.
pub fn free_port() -> u16 {
    let mut given = GIVEN.lock().expect("no other test panicked here");
    let given = given.get_or_insert_default();
    loop {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        if given.insert(port) {
            return port;
        }
    }
}
