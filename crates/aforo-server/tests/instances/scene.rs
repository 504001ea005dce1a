//! Programs on one store.

use std::thread;
use std::time::{Duration, Instant};

use crate::support::Program;

/// The hash key of instances that belong together.
pub(crate) const KEY: &str = "000102030405060708090a0b0c0d0e0f";

/// A gateway that answers by itself, with policies for everybody and a store.
pub(crate) fn file(policies: &str, store: &str) -> String {
    format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
         [plans.anonymous]\npolicies = [{policies}]\n\n[stores.default]\n{store}\n"
    )
}

/// One instance.
pub(crate) fn instance(policies: &str, store: &str) -> Program {
    Program::sharing(&file(policies, store), KEY)
}

/// The status of a request on a new connection, and how long it took.
pub(crate) fn timed(program: &Program) -> (u16, Duration) {
    let mut client = program.client();
    let begun = Instant::now();
    let status = client.get("/").status;
    (status, begun.elapsed())
}

/// The statuses of requests one after the other.
pub(crate) fn statuses(program: &Program, requests: usize) -> Vec<u16> {
    let mut client = program.client();
    (0..requests).map(|_| client.get("/").status).collect()
}

/// That many requests for a target at once, each on a connection of its own that is open before.
pub(crate) fn at_once(
    programs: &[&Program],
    requests: usize,
    target: &str,
) -> Vec<(u16, Duration)> {
    let gate = std::sync::Barrier::new(requests);
    thread::scope(|scope| {
        let asking: Vec<_> = (0..requests)
            .map(|number| {
                let mut client = programs[number % programs.len()].client();
                let gate = &gate;
                scope.spawn(move || {
                    gate.wait();
                    let begun = Instant::now();
                    let status = client.get(target).status;
                    (status, begun.elapsed())
                })
            })
            .collect();
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

/// How many passed.
pub(crate) fn passed(statuses: impl IntoIterator<Item = u16>) -> usize {
    let statuses = statuses.into_iter();
    statuses.filter(|status| *status == 200).count()
}

/// How many seconds it takes until the store counts again: its fields are there again.
pub(crate) fn counts_again(program: &Program) -> Duration {
    let begun = Instant::now();
    loop {
        let response = program.client().get("/");
        if response.field("x-ratelimit-remaining").is_some() {
            return begun.elapsed();
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "never again");
        thread::sleep(Duration::from_millis(20));
    }
}
