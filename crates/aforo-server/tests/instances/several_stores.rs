//! Minutes in Redis, months in SQL: all or nothing over both.

use aforo_servers::{Postgres, Redis};

use crate::scene::{KEY, statuses};
use crate::support::{Folder, Program};

/// Two policies, each in its store. Stores are asked in the order of their names.
fn text(redis: &Redis, sql: &str, minutes: &str, months: &str, names: [&str; 2]) -> String {
    let [minute_store, month_store] = names;
    format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
         [plans.anonymous]\npolicies = [\"@minutes\", \"@months\"]\n\n\
         [policies.minutes]\nquota = \"{minutes}\"\nstore = \"{minute_store}\"\n\
         [policies.months]\nquota = \"{months}\"\nstore = \"{month_store}\"\n\n\
         [stores.{minute_store}]\nurl = \"{}\"\ntimeout = \"2s\"\non_store_failure = \"deny\"\n\
         [stores.{month_store}]\nurl = \"{sql}\"\ntimeout = \"2s\"\non_store_failure = \"deny\"\n",
        redis.url()
    )
}

/// What is left of each policy, as the next response says.
fn remaining(program: &Program) -> String {
    let response = program.client().get("/");
    response.field("ratelimit").unwrap_or_default().to_owned()
}

#[test]
fn a_denial_by_one_store_takes_nothing_from_the_other() {
    let folder = Folder::new();
    let database = folder.put("none", "").with_file_name("quotas.db");
    let sqlite = format!("sqlite:{}", database.display());
    // The store that denies is asked last, so that the other has to be given back what it took.
    minutes_deny(&sqlite, ["bb", "aa"]);
    let database = database.with_file_name("more.db");
    months_deny(&format!("sqlite:{}", database.display()), ["aa", "bb"]);
}

#[test]
fn a_denial_by_redis_takes_nothing_from_postgresql() {
    for names in [["bb", "aa"], ["aa", "bb"]] {
        minutes_deny(&Postgres::start().url(), names);
    }
}

#[test]
fn a_denial_by_postgresql_takes_nothing_from_redis() {
    for names in [["aa", "bb"], ["bb", "aa"]] {
        months_deny(&Postgres::start().url(), names);
    }
}

fn minutes_deny(sql: &str, names: [&str; 2]) {
    let quotas = ["2/day fixed-window", "10/month"];
    denies(sql, names, quotas, "\"months\";r=8");
}

fn months_deny(sql: &str, names: [&str; 2]) {
    let quotas = ["10/day fixed-window", "2/month"];
    denies(sql, names, quotas, "\"minutes\";r=8");
}

/// Five requests, of which three are denied: the policy that does not deny has `left`.
fn denies(sql: &str, names: [&str; 2], [minutes, months]: [&str; 2], left: &str) {
    let redis = Redis::start();
    let program = Program::sharing(&text(&redis, sql, minutes, months, names), KEY);
    let what = format!("{sql} {names:?} {minutes}");
    assert_eq!(statuses(&program, 5), [200, 200, 429, 429, 429], "{what}");
    // The near cache shows the violated policy alone: a second later the stores are asked.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let fields = remaining(&program);
    assert!(fields.contains(left), "{what}: {fields}");
    redis.every_key_ends();
}
