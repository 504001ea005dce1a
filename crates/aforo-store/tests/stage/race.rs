//! Many requests at once, from two processes.

use std::sync::Arc;

use aforo_core::Quota;
use aforo_store::{Remote, Store};
use tokio::task::JoinSet;

use super::callers::{batch, charge, fixed, terms};
use super::other_process::{OtherProcess, answer_lines, told};

/// Rounds of each race.
const ROUNDS: u64 = 200;

/// Sends a charge of one unit many times at once; says how many were taken.
pub(crate) async fn at_once<S: Store + 'static>(
    store: &Arc<S>,
    quota: Quota,
    caller: u64,
    times: usize,
) -> usize {
    let mut asked = JoinSet::new();
    for _ in 0..times {
        let store = Arc::clone(store);
        asked.spawn(async move {
            let terms = terms("race", quota);
            let one = batch(&[charge(&terms, caller, 1)]);
            store.charge(&one).await.unwrap().taken
        });
    }
    let taken = asked.join_all().await;
    taken.into_iter().filter(|taken| *taken).count()
}

fn quota() -> Quota {
    // Far longer than the race.
    fixed(10, 86_400 * 300)
}

/// 25 requests at once from two processes on a cold key of quota 10: exactly 10 pass. Then, with
/// 9 taken, 10 at once: exactly one. Many times over.
pub(crate) fn two_processes<S: Store + 'static>(open: impl Fn(&Remote) -> S, remote: &Remote) {
    let mut other = OtherProcess::start("races::the_other_process", &remote.url, &remote.namespace);
    let store = Arc::new(open(remote));
    super::block_on(async {
        for round in 0..ROUNDS {
            let (cold, primed) = (2 * round, 2 * round + 1);
            other.ask(&format!("{cold} 12"));
            let ours = at_once(&store, quota(), cold, 13).await;
            assert_eq!(ours + other.answer(), 10, "round {round}");
            assert_eq!(at_once(&store, quota(), primed, 9).await, 9);
            other.ask(&format!("{primed} 5"));
            let ours = at_once(&store, quota(), primed, 5).await;
            assert_eq!(ours + other.answer(), 1, "round {round}");
        }
    });
}

/// The other process: each line is a caller and how many requests to send.
pub(crate) fn the_other<S: Store + 'static>(open: impl Fn(&Remote) -> S) {
    let (url, namespace) = told();
    let mut remote = super::remote(&url);
    remote.namespace = namespace;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = Arc::new(runtime.block_on(async { open(&remote) }));
    answer_lines(|line| {
        let (caller, times) = line.split_once(' ').unwrap();
        let (caller, times) = (caller.parse().unwrap(), times.parse().unwrap());
        runtime.block_on(at_once(&store, quota(), caller, times))
    });
}
