//! How often the server is asked.

use aforo_servers::Redis;
use aforo_store::{RedisStore, Store};

use crate::scene::{all, batch, caller, charge, one_of_each, terms};
use crate::stage::{block_on, remote};

/// Commands that the server got from clients, without those that a script calls and `INFO`.
fn asked(server: &Redis) -> u64 {
    let commands = ["evalsha", "eval", "script|load", "ping", "hello", "select"];
    commands.iter().map(|command| server.calls(command)).sum()
}

#[test]
fn a_batch_of_any_size_is_one_round_trip() {
    let server = Redis::start();
    let store = RedisStore::open(&remote(server.url())).unwrap();
    let policies: Vec<_> = ["a", "b", "c", "d", "e"]
        .into_iter()
        .zip(one_of_each())
        .map(|(name, quota)| terms(name, quota))
        .collect();
    block_on(async {
        let callers = ["one", "two", "three"].map(caller);
        let charges: Vec<_> = policies
            .iter()
            .flat_map(|policy| callers.map(|caller| charge(policy, caller, 1)))
            .collect();
        assert!(all(&store, &charges).await.unwrap().taken);
        let before = asked(&server);
        let charged = all(&store, &charges).await.unwrap();
        assert_eq!(asked(&server), before + 1);
        store.peek(&batch(&charges)).await.unwrap();
        assert_eq!(asked(&server), before + 2);
        store.refund(charged.receipt).await.unwrap();
        assert_eq!(asked(&server), before + 3);
        store.reset(&batch(&charges)).await.unwrap();
        assert_eq!(asked(&server), before + 4);
    });
    assert_eq!(server.clients(), 1);
    // Only the fingerprint is left.
    assert_eq!(server.keys().len(), 1);
}
