//! `check`, `schema`, and what `run` says when it does not run.

use crate::support::{Folder, Program, Upstream, Verdict};

fn verdicts(text: &str) -> (Verdict, Verdict) {
    let folder = Folder::new();
    let file = folder.put("aforo.toml", text);
    let file = file.to_str().unwrap();
    (Verdict::of(&["check", file]), Verdict::of(&["run", file]))
}

fn with_quota(quota: &str) -> String {
    format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
         [plans.anonymous]\npolicies = [\"{quota}\"]\n"
    )
}

#[test]
fn rl_32_a_quota_with_a_slip_never_starts_and_check_agrees() {
    let slips = [
        "10/horu", "6O/min", "", "-5/min", "1e3/min", "10 per", "5/0s", "1.5/s",
    ];
    for slip in slips {
        let (check, run) = verdicts(&with_quota(slip));
        assert_eq!((check.code, run.code), (2, 2), "{slip:?}");
        let told = [&check.stdout, &run.stderr];
        for told in told {
            assert!(told.contains("aforo.toml:6:"), "{slip:?}: {told}");
            assert!(told.contains('^'), "{slip:?}: {told}");
        }
        assert_eq!(check.stdout.trim(), run.stderr.trim(), "{slip:?}");
    }
}

#[test]
fn rl_32_what_is_accepted_limits() {
    for right in ["3/minutes", "3/minute", "3/hour fixed-window"] {
        let program = Program::with_file(&with_quota(right));
        let mut client = program.client();
        let statuses = [(); 4].map(|()| client.get("/").status);
        assert_eq!(statuses, [200, 200, 200, 429], "{right}");
    }
}

#[test]
fn all_errors_are_told_at_once_for_people_and_for_programs() {
    let text = "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\
                 idle_timeot = \"9s\"\n\n\
                [plans.anonymous]\npolicies = [\"10/horu\"]\n";
    let folder = Folder::new();
    let file = folder.put("aforo.toml", text);
    let check = Verdict::of(&["check", "--format", "json", file.to_str().unwrap()]);
    assert_eq!(check.code, 2);
    let report: serde_json::Value = serde_json::from_str(&check.stdout).unwrap();
    assert_eq!(report["valid"], false);
    let lines: Vec<_> = report["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| &error["line"])
        .collect();
    assert_eq!(lines, [4, 7]);
}

#[test]
fn check_shows_quotas_in_words() {
    let folder = Folder::new();
    let file = folder.put("aforo.toml", &with_quota("60/minute burst 10"));
    let check = Verdict::of(&["check", file.to_str().unwrap()]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let words = "anonymous-minute: 10 at once, then 1 a second; at most 70 in any minute";
    assert!(check.stdout.contains(words), "{}", check.stdout);
}

#[test]
fn check_says_what_a_leased_policy_may_admit() {
    let leased = "\n[policies.hot]\nquota = \"6000/minute burst 1000\"\nprecision = \"leased\"\n";
    let text = with_quota("60/minute") + leased;
    let folder = Folder::new();
    let file = folder.put("aforo.toml", &text.replace("\"60/minute\"", "\"@hot\""));
    let check = Verdict::of(&["check", file.to_str().unwrap()]);
    let words = "hot: 1,000 at once, then 100 a second; at most 7,000 in any minute; \
                 up to 100 more in any minute while instances share it";
    assert!(check.stdout.contains(words), "{}", check.stdout);
}

#[test]
fn listening_to_everybody_with_counters_of_ones_own_is_a_finding() {
    let text = with_quota("60/minute").replace("127.0.0.1", "0.0.0.0");
    let folder = Folder::new();
    let file = folder.put("aforo.toml", &text);
    let check = Verdict::of(&["check", file.to_str().unwrap()]);
    assert_eq!(check.code, 1);
    assert!(check.stdout.contains("instances = 1"), "{}", check.stdout);
    let program = Program::with_file(&text);
    assert!(program.log().contains("instances = 1"), "{}", program.log());

    let text = format!("{text}\n[stores.default]\nurl = \"memory\"\ninstances = 1\n");
    let file = folder.put("alone.toml", &text);
    let check = Verdict::of(&["check", file.to_str().unwrap()]);
    assert_eq!(check.code, 0, "{}", check.stdout);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    for command in ["check", "run"] {
        let verdict = Verdict::of(&[command, "/nowhere/aforo.toml"]);
        assert_eq!(verdict.code, 2);
        let told = verdict.stdout + &verdict.stderr;
        assert!(told.contains("/nowhere/aforo.toml"), "{told}");
    }
}

#[test]
fn a_taken_address_is_named() {
    let program = Program::with_file(&with_quota("60/minute"));
    let taken = program.address().to_string();
    let text = with_quota("60/minute").replace("127.0.0.1:0", &taken);
    let folder = Folder::new();
    let file = folder.put("aforo.toml", &text);
    let run = Verdict::of(&["run", file.to_str().unwrap()]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains(&taken), "{}", run.stderr);
}

#[test]
fn a_file_is_not_needed() {
    let upstream = Upstream::new();
    let url = format!("http://{}", upstream.address());
    let arguments = [
        "--upstream",
        &url,
        "--limit",
        "2/hour fixed-window",
        "--listen",
        "127.0.0.1:0",
    ];
    let program = Program::run(&arguments);
    let mut client = program.client();
    let statuses = [(); 3].map(|()| client.get("/").status);
    assert_eq!(statuses, [200, 200, 429]);

    let slip = Verdict::of(&["run", "--upstream", &url, "--limit", "60/minuet"]);
    assert_eq!(slip.code, 2);
    assert!(slip.stderr.contains("60/minuet"), "{}", slip.stderr);
}

#[test]
fn the_schema_is_one() {
    let schema = Verdict::of(&["schema"]);
    assert_eq!(schema.code, 0);
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).unwrap();
    assert!(schema["$schema"].is_string());
    assert!(schema["properties"]["gateway"].is_object());
}

#[test]
fn only_commands_that_exist_are_listed() {
    let help = Verdict::of(&["--help"]).stdout;
    for command in ["run", "check", "schema", "consumer", "import"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
    for later in ["replay", "explain"] {
        assert!(!help.contains(later), "{help}");
    }
}

#[test]
fn run_tells_where_it_listens_and_its_quotas_in_words() {
    let program = Program::with_file(&with_quota("60/minute"));
    assert!(program.log().contains("listening"));
    assert!(
        program.log().contains("anonymous-minute: "),
        "{}",
        program.log()
    );
}
