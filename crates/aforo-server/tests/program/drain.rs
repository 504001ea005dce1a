//! Stopping: what is open finishes, what is new is refused.

use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use http::Response;
use http_body_util::{BodyExt, Full};

use crate::support::{Program, Upstream};

/// An upstream that answers when it is told to; tells when a request has come.
fn held_upstream() -> (Upstream, Receiver<()>, Sender<()>) {
    let (came, has_come) = channel();
    let (release, released) = channel::<()>();
    let (came, released) = (Arc::new(Mutex::new(came)), Arc::new(Mutex::new(released)));
    let upstream = Upstream::answering(move |_| {
        came.lock().unwrap().send(()).unwrap();
        let _ = released.lock().unwrap().recv();
        Response::new(Full::from("late").boxed())
    });
    (upstream, has_come, release)
}

fn refused(program: &Program) {
    for _ in 0..500 {
        if TcpStream::connect(program.address()).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("it still accepts connections");
}

#[test]
fn what_is_in_flight_finishes_and_idle_connections_end() {
    let (upstream, has_come, release) = held_upstream();
    let mut program = Program::before(upstream.address(), r#"["1000/minute"]"#);
    let mut idle = program.client();
    idle.send("CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n");
    assert_eq!(idle.response().status, 405);
    let mut busy = program.client();
    busy.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    has_come.recv_timeout(Duration::from_secs(10)).unwrap();

    program.terminate();
    assert!(idle.has_ended());
    refused(&program);
    release.send(()).unwrap();
    let response = busy.response();
    assert_eq!((response.status, &response.body[..]), (200, &b"late"[..]));
    assert_eq!(response.field("connection"), Some("close"));
    assert!(busy.has_ended());
    assert_eq!(program.ended().code(), Some(0));
}

#[test]
fn what_takes_longer_than_the_drain_is_cut_off() {
    let (upstream, has_come, release) = held_upstream();
    let mut program = Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n\
         drain_timeout = \"200ms\"\n[plans.anonymous]\npolicies = [\"100/minute\"]\n",
        upstream.address()
    ));
    let mut busy = program.client();
    busy.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    has_come.recv_timeout(Duration::from_secs(10)).unwrap();
    program.terminate();
    assert_eq!(program.ended().code(), Some(1));
    assert!(busy.has_ended());
    drop(release);
}

#[test]
fn a_second_signal_ends_at_once() {
    let (upstream, has_come, release) = held_upstream();
    let mut program = Program::before(upstream.address(), r#"["1000/minute"]"#);
    let mut busy = program.client();
    busy.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    has_come.recv_timeout(Duration::from_secs(10)).unwrap();
    program.terminate();
    refused(&program);
    program.terminate();
    assert_eq!(program.ended().code(), Some(1));
    drop(release);
}
