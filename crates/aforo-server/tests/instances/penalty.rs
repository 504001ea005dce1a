//! Blocks that follow denials, on a store that instances share.

use aforo_servers::Redis;

use crate::scene::instance;
use crate::support::RawResponse;

fn retry_after(response: &RawResponse) -> u64 {
    response.field("retry-after").unwrap().parse().unwrap()
}

#[test]
fn rlx_02_a_block_on_redis_holds_on_every_instance_to_its_end() {
    let redis = Redis::start();
    let store = format!("url = \"{}\"\ntimeout = \"2s\"", redis.url());
    let policy = "{ name = \"calls\", quota = \"1/s burst 1\", penalty = [\"90s\", \"20min\"] }";
    let instances = [0, 1].map(|_| instance(policy, &store));
    let mut clients = instances.each_ref().map(|program| program.client());
    assert_eq!(clients[0].get("/").status, 200);
    // Denied at the latest when two come within a second.
    let denied = (0..20)
        .map(|_| clients[0].get("/"))
        .find(|response| response.status == 429)
        .unwrap();
    assert_eq!(retry_after(&denied), 90);
    // The policy's own second is long over when this thread was not; the block is not.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    for client in &mut clients {
        let blocked = client.get("/");
        assert_eq!(blocked.status, 429);
        let wait = retry_after(&blocked);
        assert!((60..90).contains(&wait), "{wait}");
    }
    redis.every_key_ends();
}
