//! A team's pool of which each member has a part for itself.

use aforo::store::Clock;
use aforo::{Limiter, ManualClock};
use proptest::prelude::*;

use crate::scene::scene_of;
use crate::support::{Bench, Seen, address, bench, get, with};

const PEER: &str = "192.0.2.1";

/// A team whose pools and guaranteed parts these are, with three members.
fn team(fields: &str) -> String {
    let members: String = ["ana", "ben", "cid"]
        .iter()
        .map(|id| format!("[[consumers]]\nid = \"{id}\"\nteam = \"search\"\n"))
        .collect();
    format!(
        "[identity]\ntrusted_proxies = [\"192.0.2.1\"]\nverified_header = \"x-id\"\n\
         default_plan = \"free\"\n[plans.anonymous]\npolicies = [\"1/hour\"]\n\
         [plans.free]\npolicies = [\"1000/hour fixed-window\"]\n\
         [teams.search]\n{fields}\n\
         [[routes]]\nmatch = \"/three\"\ncost = 3\n\
         [[routes]]\nmatch = \"/login\"\n\
         policies = [{{ name = \"tries\", quota = \"100/hour fixed-window\", denials = true }}]\n\
         {members}"
    )
}

const TEN_OF_TWO: &str = "policies = [\"10/minute fixed-window\"]\n\
     guaranteed = \"2/minute fixed-window\"";

impl Bench {
    async fn as_member(&self, id: &str, path: &str) -> Seen {
        self.send(PEER, with(get(path), "x-id", id)).await
    }

    /// How many of so many requests pass.
    async fn passing(&self, id: &str, requests: usize) -> usize {
        let mut passed = 0;
        for _ in 0..requests {
            passed += usize::from(self.as_member(id, "/").await.code() == 200);
        }
        passed
    }
}

#[tokio::test]
async fn a_member_that_takes_all_it_can_leaves_the_others_their_parts() {
    let bench = bench(&team(TEN_OF_TWO));
    // 10 less the parts of the other two.
    assert_eq!(bench.passing("ana", 50).await, 6);
    assert_eq!(bench.passing("ben", 50).await, 2);
    assert_eq!(bench.passing("cid", 50).await, 2);
    // The next window is whole again.
    bench.at(60_000);
    assert_eq!(bench.passing("cid", 50).await, 6);
    assert_eq!(bench.passing("ana", 50).await, 2);
    assert_eq!(bench.passing("ben", 50).await, 2);
}

#[tokio::test]
async fn more_members_than_there_are_parts_for_never_pass_the_pool() {
    let bench = bench(&team(
        "policies = [\"10/minute fixed-window\"]\nmembers = 4\n\
         guaranteed = \"2/minute fixed-window\"",
    ));
    // The rest is 2: the part of a fourth member, whom nobody has seen, is held.
    assert_eq!(bench.passing("ana", 50).await, 4);
    assert_eq!(bench.passing("ben", 50).await, 2);
    assert_eq!(bench.passing("cid", 50).await, 2);
}

#[tokio::test]
async fn fields_tell_of_the_part_that_ends_and_of_the_nearer_wait() {
    let bench = bench(&team(
        "policies = [\"60/minute burst 10\"]\nguaranteed = \"6/minute burst 2\"",
    ));
    // While its own part holds, nothing that a member sees is as near to its end as that.
    let first = bench.as_member("ana", "/").await;
    let listed = first.field("ratelimit").unwrap();
    assert_eq!(
        listed,
        "\"free-hour\";r=999;t=3600, \"team-search-minute\";r=9;t=9"
    );
    assert_eq!(bench.passing("ana", 1).await, 1);
    // 10 less three times 2 at once for all.
    let third = bench.as_member("ana", "/").await;
    let listed = third.field("ratelimit").unwrap();
    assert!(
        listed.contains("\"team-search-minute-shared\";r=3;t="),
        "{listed}"
    );
    assert_eq!(bench.passing("ana", 3).await, 3);
    // Its own part flows back every 10 s, the rest (42 a minute) every 1.43 s.
    let denied = bench.as_member("ana", "/").await;
    assert_eq!((denied.code(), denied.retry_after()), (429, Some(2)));
    let violated = denied.problem();
    assert_eq!(
        violated["violated-policies"],
        serde_json::json!(["team-search-minute-shared"])
    );
    bench.at(1_428);
    assert_eq!(bench.passing("ana", 1).await, 0);
    bench.at(1_429);
    assert_eq!(bench.passing("ana", 1).await, 1);
}

#[tokio::test]
async fn the_own_part_is_waited_for_where_it_comes_first() {
    // The rest is 1 a minute.
    let bench = bench(&team(
        "policies = [\"61/minute burst 61\"]\nguaranteed = \"20/minute burst 20\"",
    ));
    assert_eq!(bench.passing("ana", 50).await, 21);
    let denied = bench.as_member("ana", "/").await;
    assert_eq!((denied.code(), denied.retry_after()), (429, Some(3)));
    let problem = denied.problem();
    assert_eq!(
        problem["violated-policies"],
        serde_json::json!(["team-search-minute-guaranteed"])
    );
    bench.at(2_999);
    assert_eq!(bench.passing("ana", 1).await, 0);
    bench.at(3_000);
    assert_eq!(bench.passing("ana", 1).await, 1);
}

#[tokio::test]
async fn a_request_that_is_dearer_than_its_part_takes_from_the_rest() {
    let bench = bench(&team(TEN_OF_TWO));
    // 3 of the rest of 4: a part of 2 never holds it.
    assert_eq!(bench.as_member("ana", "/three").await.code(), 200);
    let denied = bench.as_member("ana", "/three").await;
    assert_eq!((denied.code(), denied.retry_after()), (429, Some(60)));
    // Both parts are as they were: 2 and 1 more.
    assert_eq!(bench.passing("ana", 50).await, 3);
}

#[tokio::test]
async fn nothing_is_left_when_all_is_guaranteed() {
    let bench = bench(&team(
        "policies = [\"9/minute fixed-window\"]\nguaranteed = \"3/minute fixed-window\"",
    ));
    for member in ["ana", "ben", "cid"] {
        assert_eq!(bench.passing(member, 10).await, 3, "{member}");
    }
}

#[tokio::test]
async fn each_pool_has_parts_of_its_own() {
    let bench = bench(&team(
        "policies = [\"10/minute fixed-window\", \"12/hour fixed-window\"]\n\
         guaranteed = [\"2/minute fixed-window\", \"3/hour fixed-window\"]",
    ));
    // 2 by its parts, 1 by the hour's part and the minute's rest, 3 by both rests.
    assert_eq!(bench.passing("ana", 50).await, 6);
    bench.at(60_000);
    // The minute is whole again, the hour holds nothing but the others' parts.
    assert_eq!(bench.passing("ana", 50).await, 0);
    assert_eq!(bench.passing("ben", 50).await, 3);
    assert_eq!(bench.passing("cid", 50).await, 3);
}

#[tokio::test]
async fn a_policy_that_counts_denials_counts_each_request_once() {
    let bench = bench(&team(TEN_OF_TWO));
    let mut seen = Vec::new();
    for _ in 0..8 {
        let answer = bench.as_member("ana", "/login").await;
        seen.push(answer.code());
    }
    assert_eq!(seen, [200, 200, 200, 200, 200, 200, 429, 429]);
    // Six that passed, by either part, and two denials: this is the ninth.
    let ninth = bench.at(60_000).as_member("ana", "/login").await;
    let listed = ninth.field("ratelimit").unwrap();
    assert!(listed.contains("\"tries\";r=91;"), "{listed}");
}

#[tokio::test]
async fn a_denied_member_costs_a_shared_store_nothing_more() {
    let scene = scene_of(&team(TEN_OF_TWO));
    assert_eq!(scene.bench.passing("ana", 6).await, 6);
    scene.store.asked();
    assert_eq!(scene.bench.passing("ana", 100).await, 0);
    let asked = scene.store.asked();
    assert!(asked <= 2, "{asked} round trips");
    // What is remembered of one member says nothing of the other's part.
    assert_eq!(scene.bench.passing("ben", 10).await, 2);
}

#[tokio::test]
async fn the_own_view_shows_the_pool_and_both_parts() {
    let text = format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\
         limits_path = \"/limits\"\n{}",
        team(TEN_OF_TWO)
    );
    let bench = bench(&text);
    let bench = Bench {
        limiter: bench.limiter.at(aforo::policy::Place::Gateway),
        clock: bench.clock,
    };
    assert_eq!(bench.passing("ana", 3).await, 3);
    let view = bench.as_member("ana", "/limits").await.problem();
    let of = |name: &str| {
        let mut policies = view["policies"].as_array().unwrap().iter();
        let policy = policies.find(|policy| policy["policy"] == name);
        policy.map(|policy| policy["remaining"].as_u64().unwrap())
    };
    assert_eq!(of("team-search-minute"), Some(7), "{view}");
    assert_eq!(of("team-search-minute-guaranteed"), Some(0));
    assert_eq!(of("team-search-minute-shared"), Some(3));
}

#[tokio::test]
async fn who_asks_for_somebody_else_is_told_of_the_part_that_was_asked() {
    let bench = bench(&team(TEN_OF_TWO));
    let service = bench.limiter.at(aforo::policy::Place::Decide);
    let peer = Some(std::net::SocketAddr::new(address(PEER), 40_000));
    let mut parts = Vec::new();
    for _ in 0..3 {
        let request = with(get("/"), "x-id", "ana").map(|_| None);
        let ruling = service.decide_request(request, peer).await;
        let told = ruling.told().map(|told| told.policy.to_owned());
        parts.push(told.last().unwrap());
    }
    assert_eq!(
        parts,
        [
            "team-search-minute-guaranteed",
            "team-search-minute-guaranteed",
            "team-search-minute-shared",
        ]
    );
}

/// One request: milliseconds after the one before, whose, and its cost.
type Step = (u64, usize, u64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0_u64..4_000, 0_usize..3, prop_oneof![Just(1_u64), Just(3)]);
    prop::collection::vec(step, 1..120)
}

/// The parts as policies of their own, counted apart by whoever asks.
fn parts(own: &str, rest: &str, clock: &ManualClock) -> Limiter {
    let builder = Limiter::builder().policy("own", own).policy("rest", rest);
    builder.clock(clock.clone()).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A request passes when its member's part holds it, or else the rest does; the pool itself
    /// never denies it, since it is the sum of its parts.
    #[test]
    fn a_divided_pool_is_the_sum_of_its_parts(
        steps in steps(),
        kind in prop::sample::select(vec![
            ("12/minute fixed-window", "3/minute fixed-window", "3/minute fixed-window"),
            ("12/minute sliding-window", "3/minute sliding-window", "3/minute sliding-window"),
            ("12/minute sliding-log", "3/minute sliding-log", "3/minute sliding-log"),
            ("60/minute burst 15", "12/minute burst 4", "24/minute burst 3"),
        ]),
    ) {
        let (pool, own, rest) = kind;
        let divided = bench(&team(&format!(
            "policies = [\"{pool}\"]\nguaranteed = \"{own}\""
        )));
        let clock = ManualClock::at(divided.clock.now());
        let model = parts(own, rest, &clock);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut millis = 0;
            for (number, (pause, member, cost)) in steps.into_iter().enumerate() {
                millis += pause;
                divided.at(millis);
                clock.set(divided.clock.now());
                let id = ["ana", "ben", "cid"][member];
                let path = if cost == 3 { "/three" } else { "/" };
                let seen = divided.as_member(id, path).await.code();
                let by_own = model.check_cost("own", id, cost).await.unwrap().is_allowed();
                let passes = by_own
                    || model.check_cost("rest", "all", cost).await.unwrap().is_allowed();
                prop_assert_eq!(seen == 200, passes, "request {} at {} ms", number, millis);
            }
            Ok(())
        })?;
    }
}
