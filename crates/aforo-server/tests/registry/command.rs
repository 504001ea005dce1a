//! What the commands say, and how they end.

use crate::scene::Scene;
use crate::support::Verdict;

#[test]
fn a_consumer_is_created_listed_and_shown() {
    let scene = Scene::sqlite();
    let created = scene.command(&[
        "create",
        "acme",
        "--plan",
        "pro",
        "--team",
        "blue",
        "--org",
        "Acme Inc.",
        "--contact",
        "ops@acme.example",
    ]);
    assert_eq!(created.code, 0, "{}", created.stderr);
    assert_eq!(scene.command(&["create", "globex"]).code, 0);
    let list = scene.command(&["list"]).stdout;
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 3, "{list}");
    let words = |line: &str| {
        line.split_whitespace()
            .take(5)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(words(lines[0]), "ID PLAN TEAM ORG CONTACT");
    assert_eq!(words(lines[1]), "acme pro blue Acme Inc.");
    assert_eq!(words(lines[2]), "globex - - - -");
    let shown = scene.json(&["show", "acme"]);
    assert_eq!(shown["contact"], "ops@acme.example");
    assert_eq!(shown["org"], "Acme Inc.");
    assert_eq!(shown["api_keys"], serde_json::json!([]));
    let page = scene.json(&["list", "--limit", "1"]);
    assert_eq!(page["consumers"][0]["id"], "acme");
    assert_eq!(page["next"], "acme");
    let rest = scene.json(&["list", "--after", "acme"]);
    assert_eq!(rest["consumers"][0]["id"], "globex");
    assert_eq!(rest["next"], serde_json::Value::Null);
}

#[test]
fn plans_teams_overrides_and_keys_change_and_the_trail_tells() {
    let scene = Scene::sqlite();
    let key = scene.key_of("acme");
    let id = key.rsplit_once('_').unwrap().0.to_owned();
    assert_eq!(scene.json(&["set-plan", "acme", "free"])["plan"], "free");
    assert_eq!(scene.json(&["set-team", "acme", "blue"])["team"], "blue");
    let set = scene.json(&[
        "override",
        "acme",
        "pro-hour",
        "5_000/hour fixed-window",
        "--until",
        "2099-01-31",
        "--reason",
        "launch",
    ]);
    assert_eq!(set["quota"], "5000/hour fixed-window");
    assert_eq!(set["until"], "2099-02-01T00:00:00Z");
    let rotated = scene.json(&["rotate-key", &id, "--grace", "1h"]);
    assert_eq!(rotated["old"]["id"], id);
    let new = rotated["new"]["api_key"].as_str().unwrap().to_owned();
    assert_ne!(new, key);
    // A whole key names itself too.
    assert_eq!(scene.json(&["revoke-key", &new])["state"], "revoked");
    let shown = scene.json(&["show", "acme"]);
    assert_eq!(shown["api_keys"].as_array().unwrap().len(), 2);
    assert_eq!(shown["overrides"][0]["state"], "holds");
    assert_eq!(
        scene.json(&["override", "acme", "pro-hour", "--end"])["ended"],
        1
    );
    let trail = scene.json(&["audit", "acme"]);
    let actions: Vec<&str> = trail["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert_eq!(
        actions,
        [
            "end-override",
            "revoke-key",
            "rotate-key",
            "override",
            "set-team",
            "set-plan",
            "issue-key",
            "create"
        ]
    );
    assert_eq!(trail["entries"][0]["by"], "ana");
    let table = scene.command(&["show", "acme"]).stdout;
    for told in ["acme", &id, "revoked", "live", "launch", "over"] {
        assert!(table.contains(told), "{told}: {table}");
    }
}

#[test]
fn exit_codes_tell_what_happened() {
    let scene = Scene::sqlite();
    let code = |arguments: &[&str]| scene.command(arguments).code;
    assert_eq!(code(&["create", "acme"]), 0);
    assert_eq!(code(&["create", "acme"]), 1, "there is one already");
    assert_eq!(code(&["show", "nobody"]), 1);
    assert_eq!(code(&["revoke-key", "aforo_abcdefghijkm"]), 1);
    assert_eq!(code(&["revoke-key", "acme"]), 2);
    assert_eq!(code(&["create", ""]), 2);
    assert_eq!(code(&["issue-key", "acme", "--expires", "soon"]), 2);
    assert_eq!(code(&["issue-key", "acme", "--expires", "2001-01-01"]), 2);
    let nowhere = [
        "consumer",
        "list",
        "--registry",
        "sqlite:/nowhere/at/all.db",
    ];
    assert_eq!(Verdict::of(&nowhere).code, 3);
    assert_eq!(
        Verdict::of(&["consumer", "list", "--registry", "redis://a"]).code,
        2
    );
    let unnamed = Verdict::of(&["consumer", "list"]);
    assert_eq!(unnamed.code, 2);
    assert!(unnamed.stderr.contains("--registry"), "{}", unnamed.stderr);
}

#[test]
fn names_and_quotas_are_checked_against_the_file() {
    let scene = Scene::sqlite();
    assert_eq!(scene.command(&["create", "acme"]).code, 0);
    let wrong: [(&[&str], &str); 6] = [
        (&["set-plan", "acme", "prp"], "anonymous, free, pro"),
        (&["create", "b", "--plan", "gold"], "`gold`"),
        (&["set-team", "acme", "red"], "blue"),
        (&["override", "acme", "pro-minute", "1/day"], "`pro-minute`"),
        (
            &["override", "acme", "pro-hour", "10/horu"],
            "`horu` is not a unit",
        ),
        (
            &[
                "override",
                "acme",
                "pro-hour",
                "5/hour burst 3 sliding-window",
            ],
            "burst",
        ),
    ];
    for (arguments, told) in wrong {
        let verdict = scene.command(arguments);
        assert_eq!(verdict.code, 2, "{arguments:?}: {}", verdict.stderr);
        assert!(
            verdict.stderr.contains(told),
            "{arguments:?}: {}",
            verdict.stderr
        );
    }
    // Without a file only the form is known.
    let unchecked = [
        "consumer",
        "set-plan",
        "acme",
        "gold",
        "--registry",
        &scene.url,
    ];
    assert_eq!(Verdict::of(&unchecked).code, 0);
}

#[test]
fn every_command_shows_an_example() {
    for command in [
        "create",
        "list",
        "show",
        "set-plan",
        "set-team",
        "override",
        "issue-key",
        "revoke-key",
        "rotate-key",
        "audit",
    ] {
        let help = Verdict::of(&["consumer", command, "--help"]);
        assert_eq!(help.code, 0);
        let example = format!("aforo consumer {command} ");
        assert!(help.stdout.contains(&example), "{command}: {}", help.stdout);
    }
    let help = Verdict::of(&["consumer", "--help"]).stdout;
    assert!(help.contains("Exit codes: 0 done"), "{help}");
}

#[test]
fn whoever_runs_it_is_the_author() {
    let scene = Scene::sqlite();
    let created = Verdict::of(&["consumer", "create", "acme", "--registry", &scene.url]);
    assert_eq!(created.code, 0, "{}", created.stderr);
    let user = std::process::Command::new("id")
        .arg("-un")
        .output()
        .unwrap();
    let user = String::from_utf8(user.stdout).unwrap();
    let trail = scene.json(&["audit"]);
    assert_eq!(trail["entries"][0]["by"], user.trim());
}
