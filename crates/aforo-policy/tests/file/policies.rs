//! Fields of policies and combinations that make no sense.

use aforo_core::{Algorithm, CalendarUnit, Mode, Span, Window};
use aforo_policy::*;

use super::{finding, lines, quota, settings};

/// What is wrong with a policy of these lines.
#[track_caller]
fn policy(fields: &str) -> String {
    finding(&format!("[policies.a]\n{fields}\n"))
}

fn right(fields: &str) -> std::sync::Arc<Policy> {
    settings(&format!("[policies.a]\n{fields}\n")).policies["a"].clone()
}

#[test]
fn every_field_is_read() {
    let found = right(
        r#"
        quota = "60/minute"
        burst = 10
        algorithm = "gcra"
        partition_by = ["client_ip/48", "header:X-Tenant | cookie:t | query:t"]
        normalize = ["lowercase"]
        when_missing = "skip"
        cost = 2
        action = "shadow"
        count = [401, 403]
        denials = true
        disclose = "retry"
        store = "default"
        on_store_failure = "deny"
        precision = "exact"
        at = ["gateway", "decide"]
        "#,
    );
    assert_eq!(quota(&found).algorithm(), Algorithm::TokenBucket);
    assert_eq!(quota(&found).capacity(), 10);
    assert_eq!(
        found.partition_by,
        [
            Alternatives(vec![Part::ClientIp(Some(48))]),
            Alternatives(vec![
                Part::Header("x-tenant".parse().unwrap()),
                Part::Cookie("t".to_owned()),
                Part::Query("t".to_owned()),
            ]),
        ]
    );
    assert_eq!(found.normalize, [Normalize::Lowercase]);
    assert_eq!(found.when_missing, WhenMissing::Skip);
    assert_eq!(found.cost, Some(2));
    assert_eq!(found.mode, Mode::Shadow);
    assert_eq!(found.counted, Counted::Statuses(vec![401, 403]));
    assert!(found.count_denials);
    assert_eq!(found.disclose, Disclosure::Retry);
    assert_eq!(found.on_store_failure, Some(OnStoreFailure::Deny));
    assert_eq!(
        found.at,
        Places {
            gateway: true,
            app: false,
            decide: true
        }
    );
}

#[test]
fn calendars_are_read() {
    let found = right("quota = \"10/month\"\ntime_zone = \"Europe/Madrid\"\nanchor_day = 15");
    let Some(Allowance::Metered(metered)) = &found.allowance else {
        panic!("{found:?}");
    };
    let calendar = metered.calendar.as_ref().unwrap();
    assert_eq!(calendar.unit, CalendarUnit::Month);
    assert_eq!(calendar.time_zone.iana_name(), Some("Europe/Madrid"));
    assert_eq!(calendar.anchor_day, 15);
    let found = right("quota = \"10/day\"\nalgorithm = \"fixed-window\"\nwindow = \"first-hit\"");
    let day = Window::FirstHit(Span::from_seconds(86_400));
    assert_eq!(quota(&found).window(), day);
}

#[test]
fn plans_may_differ_in_their_calendar() {
    let settings = settings(
        "[plans.anonymous]\npolicies = [\"@a\"]\n[plans.pro]\npolicies = []\n\
         [policies.a]\nquota = { pro = \"10/month\", default = \"5/day fixed-window\" }\ntime_zone = \"Asia/Tokyo\"\n",
    );
    let policy = &settings.policies["a"];
    let unit = |allowance: &Allowance| match allowance {
        Allowance::Metered(metered) => metered.calendar.as_ref().map(|calendar| calendar.unit),
        other => panic!("{other:?}"),
    };
    assert_eq!(unit(&policy.by_plan["pro"]), Some(CalendarUnit::Month));
    assert_eq!(
        unit(policy.allowance.as_ref().unwrap()),
        Some(CalendarUnit::Day)
    );
}

#[test]
fn fields_of_another_algorithm_are_refused_where_they_are() {
    assert_eq!(
        policy("quota = \"1/s fixed-window\"\nburst = 5"),
        "3:9 a fixed-window has no burst"
    );
    assert_eq!(
        policy("quota = \"1/s\"\nmax_delay = \"5s\""),
        "3:13 a sliding-window never delays, so `max_delay` means nothing"
    );
    assert_eq!(
        policy("quota = \"1/s leaky-bucket\""),
        "2:9 a leaky-bucket needs `max_delay`, how long a request may be held"
    );
    assert_eq!(
        policy("quota = \"1/s\"\nwindow = \"calendar\""),
        "3:10 a sliding-window has no `window`"
    );
    assert_eq!(
        policy("quota = \"1/15min fixed-window\"\nwindow = \"calendar\""),
        "3:10 a window of 15minute is not one of a calendar"
    );
    assert_eq!(
        policy("quota = \"1/s\"\ntime_zone = \"Europe/Madrid\""),
        "3:13 `time_zone` is for a window of the calendar"
    );
    assert_eq!(
        policy("quota = \"1/day fixed-window\"\nanchor_day = 3"),
        "3:14 `anchor_day` is for a month of the calendar"
    );
    assert_eq!(
        policy("quota = \"1/month\"\nanchor_day = 32"),
        "3:14 a month has no day 32"
    );
    assert_eq!(
        policy("quota = \"1/month\"\ntime_zone = \"Europe/Madird\""),
        "3:13 there is no time zone `Europe/Madird`"
    );
    assert_eq!(
        policy("quota = \"1/s\"\nalgorithm = \"leaky-bucket\"\nmax_delay = \"0s\""),
        "4:13 no time at all"
    );
}

#[test]
fn values_that_never_limit_or_never_fit_are_refused() {
    assert_eq!(
        policy("quota = \"5/s\"\ncost = 6"),
        "3:8 a cost of 6 never fits"
    );
    assert_eq!(
        policy("quota = \"5/s\"\ncount = []"),
        "3:9 a policy that counts no status never limits"
    );
    assert_eq!(
        policy("quota = \"5/s\"\ncount = [99]"),
        "3:10 99 is not a status"
    );
    assert_eq!(
        policy("quota = \"5/s\"\nat = []"),
        "3:6 a policy that is enforced nowhere"
    );
    assert_eq!(policy("quota = {}"), "1:1 a quota for no plan at all");
    assert_eq!(
        policy("quota = \"5/s\"\nstore = \"redis\""),
        "3:9 there is no store `redis`"
    );
    // To count failures without denying is a way to look first.
    right("quota = \"5/s\"\ncount = \"failures\"\naction = \"shadow\"");
}

#[test]
fn quotas_per_plan_name_plans_that_exist() {
    let text = "[plans.anonymous]\npolicies = [\"@a\"]\n[plans.free]\npolicies = []\n\
                [policies.a]\nquota = { fre = \"1/s\", default = \"2/s\" }\n";
    assert_eq!(finding(text), "6:11 there is no plan `fre`");
    assert_eq!(
        finding("[plans.default]\npolicies = []\n[plans.anonymous]\npolicies = []\n"),
        "1:8 a plan cannot be named `default`"
    );
}

#[test]
fn rl_11_a_part_that_nobody_knows_is_refused() {
    let part = |part: &str| policy(&format!("quota = \"1/s\"\npartition_by = [\"{part}\"]"));
    assert_eq!(
        part("user"),
        "3:18 `user` is not a part that a policy can count by"
    );
    assert_eq!(
        part("ip"),
        "3:18 `ip` is not a part that a policy can count by"
    );
    assert_eq!(part(""), "3:18 `` is not a part that a policy can count by");
    assert_eq!(
        part("header"),
        "3:18 `header` is not a part that a policy can count by"
    );
    assert_eq!(part("header:"), "3:18 `header:` does not name a header");
    assert_eq!(
        part("header:a b"),
        "3:18 `header:a b` does not name a header"
    );
    assert_eq!(part("body:email"), "3:18 `email` is not a JSON pointer");
    assert_eq!(part("body:/a~2"), "3:18 `/a~2` is not a JSON pointer");
    assert_eq!(
        part("client_ip/0"),
        "3:18 `client_ip/0` is not a prefix of 1 to 128 bits"
    );
    assert_eq!(
        part("client_ip/129"),
        "3:18 `client_ip/129` is not a prefix of 1 to 128 bits"
    );
    assert_eq!(
        part("claim:sub"),
        "3:18 `claim:sub` is not a part that a policy can count by"
    );
    assert_eq!(
        part("header:a |  usr"),
        "3:30 `usr` is not a part that a policy can count by"
    );
    assert_eq!(
        part("caller | header:a"),
        "3:27 `header:a` is never reached"
    );
}

#[test]
fn lists_of_parts_make_sense() {
    assert_eq!(
        policy("quota = \"1/s\"\npartition_by = []"),
        "3:16 a policy that counts by nothing"
    );
    assert_eq!(
        policy("quota = \"1/s\"\npartition_by = [\"method\", \"method\"]"),
        "3:27 `method` is here twice"
    );
    assert_eq!(
        policy("quota = \"1/s\"\nnormalize = [\"trim\"]"),
        "3:13 `normalize` has nothing to work on"
    );
}

const GATEWAY: &str =
    "[gateway]\nlisten = \"127.0.0.1:80\"\nupstream = [\"builtin:echo\"]\n[plans.anonymous]\n";

#[test]
fn rl_11_a_source_that_nothing_provides_stops_the_gateway() {
    let with = |part: &str, rest: &str| {
        format!("{GATEWAY}policies = [{{ quota = \"1/s\", partition_by = [\"{part}\"] }}]\n{rest}")
    };
    assert_eq!(
        finding(&with("consumer", "")),
        "5:46 nothing provides a consumer"
    );
    assert_eq!(finding(&with("team", "")), "5:46 nothing provides a team");
    assert_eq!(finding(&with("org", "")), "5:46 nothing provides an org");
    assert_eq!(
        finding(&with("header:x | org", "")),
        "5:46 nothing provides an org"
    );
    assert_eq!(
        finding(&with("path:tenant", "")),
        "5:46 nothing provides the path parameter `tenant`"
    );
    settings(&with(
        "path:tenant",
        "[[routes]]\nmatch = \"/t/{tenant}\"\n",
    ));
    settings(&with(
        "org",
        "[[consumers]]\nid = \"a\"\nplan = \"anonymous\"\norg = \"o\"\n",
    ));
    settings(&with(
        "consumer",
        "[identity]\ntrusted_proxies = [\"loopback\"]\nverified_header = \"x-id\"\ndefault_plan = \"anonymous\"\n",
    ));
    // An application identifies its callers by itself.
    right("quota = \"1/s\"\npartition_by = [\"consumer\", \"team\"]");
}

#[test]
fn rl_11_a_path_parameter_is_one_of_its_route() {
    let text = "[[routes]]\nmatch = \"/a/{id}\"\npolicies = [{ quota = \"1/s\", partition_by = [\"path:name\"] }]\n";
    assert_eq!(
        finding(text),
        "3:46 nothing provides the path parameter `name`"
    );
    settings(&text.replace("path:name", "path:id"));
}

#[test]
fn the_edge_knows_only_the_address() {
    let edge = |entry: &str| lines(&format!("[edge]\npolicies = [{entry}]\n"));
    for part in [
        "caller", "consumer", "route", "body:/a", "form:a", "header:a",
    ] {
        assert_eq!(
            edge(&format!(
                "{{ quota = \"1/s\", partition_by = [\"{part}\"] }}"
            )),
            ["2:13 the edge counts before it knows more than the address"],
            "{part}"
        );
    }
    assert_eq!(
        edge("{ quota = \"1/s\", count = \"failures\" }"),
        ["2:13 the edge counts every request, whatever becomes of it"]
    );
    assert_eq!(
        edge("{ quota = \"1/s\", on_store_failure = \"deny\" }"),
        ["2:13 the edge counts in local memory, without a store"]
    );
    let text =
        "[edge]\npolicies = [\"@a\"]\n[policies.a]\nquota = \"1/s\"\npartition_by = [\"caller\"]\n";
    assert_eq!(
        finding(text),
        "2:13 the edge counts before it knows more than the address"
    );
    settings(
        "[edge]\npolicies = [\"@a\", { quota = \"1/s\", partition_by = [\"everyone\"] }]\n[policies.a]\nquota = \"1/s\"\n",
    );
}

#[test]
fn a_team_counts_by_team() {
    let settings = settings("[teams.blue]\npolicies = [\"1/s\"]\n");
    let pool = &settings.teams["blue"].policies[0];
    assert_eq!(pool.partition_by, [Alternatives(vec![Part::Team])]);
}
