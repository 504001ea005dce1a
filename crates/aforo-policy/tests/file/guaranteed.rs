//! `guaranteed`: what of a team's pool each member has for itself.

use aforo_core::{Quota, Span};
use aforo_policy::{Allowance, Part, Policy, Share, words};

use super::{finding, help, settings};

const MEMBERS: &str = "[identity]\ndefault_plan = \"free\"\n\
     [plans.anonymous]\npolicies = [\"1/hour\"]\n[plans.free]\npolicies = [\"1/s\"]\n\
     [[consumers]]\nid = \"ana\"\nteam = \"a\"\n[[consumers]]\nid = \"ben\"\nteam = \"a\"\n";

/// A team of two, whose fields begin at line 2.
fn team(fields: &str) -> String {
    format!("[teams.a]\n{fields}\n{MEMBERS}")
}

fn quota(policy: &Policy) -> Quota {
    match &policy.allowance {
        Some(Allowance::Metered(metered)) => *metered.terms.quota(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pool_is_followed_by_its_parts() {
    let settings = settings(&team(
        "policies = [\"600/minute burst 100\", \"9000/hour\"]\nguaranteed = \"60/minute burst 10\"",
    ));
    let minute = Span::from_seconds(60);
    let bucket = |amount, burst| Quota::token_bucket(amount, minute, Some(burst)).unwrap();
    let policies = &settings.teams["a"].policies;
    let told: Vec<_> = policies
        .iter()
        .map(|policy| (policy.name.as_str(), policy.share, quota(policy)))
        .collect();
    let hour = Quota::sliding_window(9_000, Span::from_seconds(3_600)).unwrap();
    assert_eq!(
        told,
        [
            ("team-a-minute", None, bucket(600, 100)),
            (
                "team-a-minute-guaranteed",
                Some(Share::Guaranteed),
                bucket(60, 10)
            ),
            ("team-a-minute-shared", Some(Share::Rest), bucket(480, 80)),
            ("team-a-hour", None, hour),
        ]
    );
    let parts = |policy: &Policy| -> Vec<Part> {
        let alternatives = policy.partition_by.iter().map(|one| one.0.clone());
        alternatives.flatten().collect()
    };
    assert_eq!(parts(&policies[1]), [Part::Team, Part::Consumer]);
    assert_eq!(parts(&policies[2]), [Part::Team]);
    assert_eq!(
        words::policy(&policies[1]),
        "10 at once, then 1 a second; at most 70 in any minute; for each member by itself"
    );
    assert_eq!(
        words::policy(&policies[2]),
        "80 at once, then 8 a second; at most 560 in any minute; \
         for all members, beyond what each has by itself"
    );
}

#[test]
fn nothing_is_left_where_everything_is_guaranteed() {
    let settings = settings(&team(
        "policies = [\"8/minute fixed-window\"]\nguaranteed = \"4/minute fixed-window\"",
    ));
    let shares: Vec<_> = settings.teams["a"]
        .policies
        .iter()
        .map(|policy| policy.share)
        .collect();
    assert_eq!(shares, [None, Some(Share::Guaranteed)]);
}

#[test]
fn members_from_elsewhere_have_to_be_counted() {
    let pool = "policies = [\"100/minute\"]\nguaranteed = \"10/minute\"";
    let unknown = "3:14 how many members there are is not known";
    let registry = format!(
        "{}[stores.default]\nurl = \"memory\"\n",
        team(pool).replace("[identity]\n", "[identity]\nregistry = \"sqlite:a.db\"\n")
    );
    assert_eq!(finding(&registry), unknown);
    assert_eq!(
        help(&registry),
        "the pool holds a part for each of them, so that it has to be known"
    );
    let counted = registry.replace("guaranteed", "members = 5\nguaranteed");
    let policies = &settings(&counted).teams["a"].policies;
    assert_eq!(quota(&policies[2]).amount(), 50);
    // An application that knows its users may have them nowhere in the file.
    assert_eq!(finding(&format!("[teams.a]\n{pool}\n")), unknown);
    let fewer = team(&format!("{pool}\nmembers = 1"));
    assert_eq!(finding(&fewer), "4:11 `1` members, and 2 are in this file");
    let needless = team("policies = [\"100/minute\"]\nmembers = 5");
    assert_eq!(
        finding(&needless),
        "3:11 nothing is guaranteed to these members"
    );
}

#[test]
fn what_cannot_be_guaranteed_is_refused_with_its_place() {
    let no_part = "nothing can be guaranteed of `team-a-minute`";
    for (pool, guaranteed, refusal) in [
        (
            "\"100/minute\"",
            "51/minute",
            "2 members are guaranteed 102 of the 100 of `team-a-minute`",
        ),
        (
            "\"100/minute burst 10\"",
            "10/minute burst 6",
            "2 members are guaranteed 12 of the 10 of `team-a-minute`",
        ),
        (
            "\"100/minute burst 10\"",
            "10/minute",
            "no pool of this team can guarantee this",
        ),
        (
            "\"100/minute\"",
            "10/hour",
            "no pool of this team can guarantee this",
        ),
        (
            "\"unlimited\"",
            "10/hour",
            "no pool of this team can guarantee this",
        ),
        (
            "\"100/minute\"",
            "0/minute",
            "no pool of this team can guarantee this",
        ),
        (
            "{ quota = \"100/minute fixed-window\", window = \"first-hit\" }",
            "10/minute fixed-window",
            no_part,
        ),
        (
            "{ quota = \"100/minute leaky-bucket\", max_delay = \"1s\" }",
            "10/minute leaky-bucket",
            no_part,
        ),
        (
            "{ quota = \"100/minute\", partition_by = [\"consumer\"] }",
            "10/minute",
            no_part,
        ),
        (
            "{ quota = \"100/minute\", action = \"shadow\" }",
            "10/minute",
            no_part,
        ),
        (
            "{ quota = \"100/minute\", denials = true }",
            "10/minute",
            no_part,
        ),
    ] {
        let text = team(&format!(
            "policies = [{pool}]\nguaranteed = \"{guaranteed}\""
        ));
        assert_eq!(finding(&text), format!("3:14 {refusal}"), "{pool}");
    }
    let twice = team("policies = [\"100/minute\"]\nguaranteed = [\"1/minute\", \"2/minute\"]");
    assert_eq!(
        finding(&twice),
        "3:27 no pool of this team can guarantee this"
    );
    let named = format!(
        "{}[policies.team-a-minute-shared]\nquota = \"1/s\"\n",
        team("policies = [\"100/minute\"]\nguaranteed = \"10/minute\"")
    );
    assert_eq!(
        finding(&named),
        "3:14 this part would be named `team-a-minute-shared`, as another policy is"
    );
}

#[test]
fn a_guaranteed_part_is_not_overridden() {
    let text = team("policies = [\"100/minute\"]\nguaranteed = \"10/minute\"").replace(
        "id = \"ben\"",
        "id = \"ben\"\noverrides = [{ policy = \"team-a-minute-guaranteed\", quota = \"99/minute\" }]",
    );
    assert_eq!(
        finding(&text),
        "15:25 there is no policy `team-a-minute-guaranteed`"
    );
}
