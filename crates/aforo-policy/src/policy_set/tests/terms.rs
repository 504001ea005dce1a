//! Which quota holds for whom: plans and overrides.

use std::sync::Arc;

use super::scene::{
    NOW, anonymous, charge, consumer, get, hashed, known, minute, of_address, plan, policy,
};
use crate::{
    Allowance, Caller, Consumer, Override, Part, Plan, Planned, Policy, PolicySet, Settings, Team,
};
use aforo_core::{Span, Timestamp};

fn set() -> PolicySet {
    PolicySet::new(Arc::new(Settings::default()))
}

/// The amount of each quota that is charged; 0 for a blocking policy.
fn amounts(caller: &Caller, now: Timestamp) -> Vec<u64> {
    let set = set();
    let charges = get("/").when(now).charges(&set, caller).unwrap();
    let amount = |planned: &Planned<'_>| match planned {
        Planned::Blocked => 0,
        Planned::Charge(charge) => charge.terms.quota().amount(),
    };
    charges
        .planned
        .iter()
        .map(|one| amount(&one.planned))
        .collect()
}

fn writes(parts: &[Part]) -> Policy {
    let by_plan = [
        ("free", minute("writes", 20)),
        ("pro", minute("writes", 300)),
        ("enterprise", Allowance::Unlimited),
        ("banned", Allowance::Blocked),
    ];
    Policy {
        by_plan: by_plan.map(|(plan, quota)| (plan.to_owned(), quota)).into(),
        ..policy("writes", parts)
    }
}

fn negotiated(policy: &str, allowance: Allowance, until: Option<Timestamp>) -> Override {
    Override {
        policy: policy.to_owned(),
        allowance,
        from: None,
        until,
        reason: None,
    }
}

fn with_overrides(overrides: Vec<Override>, plan: Plan) -> Caller {
    let consumer = Consumer {
        overrides,
        ..consumer("acme")
    };
    known(consumer, plan)
}

#[test]
fn a_quota_is_the_plans_or_the_default() {
    let of = |name: &str| {
        let plan = plan(name, vec![writes(&[Part::Caller])]);
        amounts(&known(consumer("acme"), plan), NOW)
    };
    assert_eq!(of("free"), [20]);
    assert_eq!(of("pro"), [300]);
    assert_eq!(of("starter"), [10]);
    assert_eq!(of("enterprise"), [0_u64; 0]);
    assert_eq!(of("banned"), [0]);
}

#[test]
fn without_a_default_other_plans_are_not_limited() {
    let only = Policy {
        allowance: None,
        ..writes(&[Part::Caller])
    };
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![only]));
    assert_eq!(amounts(&caller, NOW), [0_u64; 0]);
}

#[test]
fn an_override_holds_until_its_end() {
    let end = NOW.plus(Span::from_seconds(1));
    let overrides = || {
        vec![
            negotiated("minute", minute("minute", 7), Some(NOW)),
            negotiated("other", minute("other", 8), None),
            negotiated("minute", minute("minute", 2_000), Some(end)),
        ]
    };
    let caller = with_overrides(
        overrides(),
        plan("pro", vec![policy("minute", &[Part::Caller])]),
    );
    assert_eq!(amounts(&caller, NOW), [2_000]);
    assert_eq!(amounts(&caller, end.minus(Span::from_micros(1))), [2_000]);
    assert_eq!(amounts(&caller, end), [10]);
}

#[test]
fn an_override_beats_the_plans_quota_and_can_lift_or_block() {
    for (allowance, expected) in [
        (minute("writes", 5), vec![5]),
        (Allowance::Unlimited, vec![]),
        (Allowance::Blocked, vec![0]),
    ] {
        let overrides = vec![negotiated("writes", allowance, None)];
        let caller = with_overrides(overrides, plan("pro", vec![writes(&[Part::Caller])]));
        assert_eq!(amounts(&caller, NOW), expected);
    }
}

#[test]
fn an_override_leaves_a_counter_of_several_alone() {
    let pool = || {
        Arc::new(Team {
            name: "blue".to_owned(),
            policies: vec![Arc::new(policy("pool", &[Part::Team]))],
        })
    };
    let member = Consumer {
        team: Some(pool()),
        overrides: ["pool", "all", "minute"]
            .map(|name| negotiated(name, minute(name, 99), None))
            .into(),
        ..consumer("acme")
    };
    let policies = vec![
        policy("minute", &[Part::Caller, Part::Route]),
        policy("all", &[Part::Everyone]),
    ];
    assert_eq!(
        amounts(&known(member, plan("pro", policies)), NOW),
        [99, 10, 10]
    );
}

#[test]
fn plans_with_quotas_of_their_own_do_not_share_a_counter() {
    let set = set();
    let partition = |name: &str, part: Part| {
        let plan = plan(name, vec![writes(&[part])]);
        get("/").partition(&set, &known(consumer("acme"), plan))
    };
    let address = Part::ClientIp(None);
    let of = |name: &str| {
        let plan = [&[b'p', name.len() as u8], name.as_bytes()].concat();
        hashed(&[b"a\x04\xc6\x33\x64\x07".as_slice(), &plan].concat())
    };
    assert_eq!(partition("free", address.clone()), of("free"));
    assert_eq!(partition("pro", address.clone()), of("pro"));
    // The default is one quota for all other plans.
    assert_eq!(partition("a", address.clone()), of_address("198.51.100.7"));
    assert_eq!(partition("b", address), of_address("198.51.100.7"));
    // A consumer keeps its counter when it changes its plan.
    assert_eq!(
        partition("free", Part::Caller),
        partition("pro", Part::Caller)
    );
}

#[test]
fn the_principal_is_the_same_on_every_plan() {
    let set = set();
    let principal = |name: &str| {
        let plan = plan(name, vec![writes(&[Part::ClientIp(None)])]);
        let caller = anonymous("192.0.2.1", plan);
        let charges = get("/").charges(&set, &caller).unwrap();
        charge(&charges.planned[0].planned).principal.hash.0
    };
    assert_eq!(principal("free"), of_address("192.0.2.1"));
    assert_eq!(principal("pro"), of_address("192.0.2.1"));
}
