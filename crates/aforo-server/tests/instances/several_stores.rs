//! Minutes in Redis, months in SQL: all or nothing over both.

use aforo_servers::Redis;

use crate::scene::{KEY, statuses};
use crate::support::{Folder, Program};

/// Two policies, each in its store. Stores are asked in the order of their names.
fn text(redis: &Redis, folder: &Folder, minutes: &str, months: &str, names: [&str; 2]) -> String {
    let [minute_store, month_store] = names;
    let database = folder.put("none", "").with_file_name("quotas.db");
    format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
         [plans.anonymous]\npolicies = [\"@minutes\", \"@months\"]\n\n\
         [policies.minutes]\nquota = \"{minutes}\"\nstore = \"{minute_store}\"\n\
         [policies.months]\nquota = \"{months}\"\nstore = \"{month_store}\"\n\n\
         [stores.{minute_store}]\nurl = \"{}\"\ntimeout = \"2s\"\non_store_failure = \"deny\"\n\
         [stores.{month_store}]\nurl = \"sqlite:{}\"\ntimeout = \"2s\"\non_store_failure = \"deny\"\n",
        redis.url(),
        database.display()
    )
}

/// What is left of each policy, as the next response says.
fn remaining(program: &Program) -> String {
    let response = program.client().get("/");
    response.field("ratelimit").unwrap_or_default().to_owned()
}

#[test]
fn a_denial_by_one_store_takes_nothing_from_the_other() {
    // The store that denies is asked last, so that the other has to be given back what it took.
    for (names, minutes, months, left) in [
        (
            ["bb", "aa"],
            "2/day fixed-window",
            "10/month",
            "\"months\";r=8",
        ),
        (
            ["aa", "bb"],
            "10/day fixed-window",
            "2/month",
            "\"minutes\";r=8",
        ),
    ] {
        let redis = Redis::start();
        let folder = Folder::new();
        let program = Program::sharing(&text(&redis, &folder, minutes, months, names), KEY);
        assert_eq!(
            statuses(&program, 5),
            [200, 200, 429, 429, 429],
            "{minutes}"
        );
        // The near cache shows the violated policy alone: a second later the stores are asked.
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        let fields = remaining(&program);
        assert!(fields.contains(left), "{minutes}: {fields}");
        redis.every_key_ends();
    }
}
