//! Files that include others.

use super::Surroundings;

fn lines(surroundings: &Surroundings, text: &str) -> Vec<String> {
    let error = surroundings.parse(text).unwrap_err();
    let line = |one: &aforo_policy::file::Finding| {
        format!("{}:{}:{} {}", one.file, one.line, one.column, one.message)
    };
    error.findings().iter().map(line).collect()
}

#[test]
fn included_files_are_joined() {
    let surroundings = Surroundings::default()
        .file(
            "conf/plans.toml",
            "include = [\"more/pro.toml\"]\n[plans.anonymous]\npolicies = [\"@a\"]\n",
        )
        .file(
            "conf/more/pro.toml",
            "include = [\"../routes.toml\"]\n[plans.pro]\npolicies = [\"2/s\"]\n",
        )
        .file("conf/routes.toml", "[[routes]]\nmatch = \"/b\"\n");
    let settings = surroundings
        .parse("include = [\"./plans.toml\"]\n[policies.a]\nquota = \"1/s\"\n[[routes]]\nmatch = \"/a\"\n")
        .unwrap();
    let plans: Vec<&String> = settings.plans.keys().collect();
    assert_eq!(plans, ["anonymous", "pro"]);
    let routes: Vec<&str> = settings
        .routes
        .iter()
        .map(|route| route.matches[0].1.as_str())
        .collect();
    assert_eq!(routes, ["/a", "/b"]);
}

#[test]
fn errors_name_the_included_file() {
    let surroundings = Surroundings::default()
        .file("conf/a.toml", "[plans.anonymous]\npolicies = [\"1/x\"]\n")
        .file("conf/b.toml", "[[[\n");
    let found = lines(
        &surroundings,
        "include = [\"a.toml\", \"b.toml\", \"c.toml\"]\n",
    );
    assert_eq!(found[0].split(':').next(), Some("conf/aforo.toml"));
    assert!(found[0].contains("`c.toml` cannot be read"), "{found:?}");
    assert_eq!(
        found[1],
        "conf/a.toml:2:16 a wrong quota: `x` is not a unit"
    );
    assert!(found[2].starts_with("conf/b.toml:1:"), "{found:?}");
}

#[test]
fn a_circle_is_refused() {
    let surroundings = Surroundings::default()
        .file("conf/a.toml", "include = [\"b.toml\"]\n")
        .file(
            "conf/b.toml",
            "include = [\"../conf/a.toml\", \"aforo.toml\"]\n",
        );
    assert_eq!(
        lines(&surroundings, "include = [\"a.toml\"]\n"),
        [
            "conf/b.toml:1:12 `../conf/a.toml` is included twice",
            "conf/b.toml:1:30 `aforo.toml` includes itself",
        ]
    );
    assert_eq!(
        lines(&surroundings, "include = [\"aforo.toml\"]\n"),
        ["conf/aforo.toml:1:12 `aforo.toml` includes itself"]
    );
}

#[test]
fn rlx_27_names_and_sections_in_two_files_name_both_places() {
    let surroundings = Surroundings::default().file(
        "conf/a.toml",
        "[identity]\nipv6_prefix = 48\n[plans.anonymous]\npolicies = [\"1/s\"]\n",
    );
    let text = "include = [\"a.toml\"]\n[plans.anonymous]\npolicies = [\"2/s\"]\n[identity]\nipv6_prefix = 56\n";
    let error = surroundings.parse(text).unwrap_err();
    let found: Vec<String> = error
        .findings()
        .iter()
        .map(|one| {
            let first = one.related.as_ref().unwrap();
            format!(
                "{}:{} {} {}:{}",
                one.file, one.line, one.message, first.file, first.line
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "conf/a.toml:1 this section is in two files conf/aforo.toml:4",
            "conf/a.toml:3 `anonymous` is here a second time conf/aforo.toml:2",
        ]
    );
}
