//! Errors as people see them.

use super::Surroundings;

fn render(text: &str) -> String {
    Surroundings::default().parse(text).unwrap_err().to_string()
}

#[test]
fn an_error_shows_the_line_a_caret_and_what_to_do() {
    assert_eq!(
        render("[plans.anonymous]\npolicies = [\"60/minute\", \"10/horu\"]\n"),
        r#"error: a wrong quota: `horu` is not a unit
 --> conf/aforo.toml:2:30
  |
2 | policies = ["60/minute", "10/horu"]
  |                              ^^^^
  = expected: second, minute, hour, day, week, month, their plurals, or ms, s, min, h, d
  = help: did you mean `hour`?

1 error"#
    );
}

#[test]
fn errors_follow_one_another_and_are_counted() {
    let text = "[policies.a]\nquota = \"1/s\"\n\n\n\n\n\n\n\n[policies.a]\nquot = \"1/s\"\n";
    assert_eq!(
        render(text),
        r#"error: `a` is here a second time
  --> conf/aforo.toml:10:11
   |
10 | [policies.a]
   |           ^
   = the first one is here: conf/aforo.toml:1:11

error: unknown field `quot`
  --> conf/aforo.toml:11:1
   |
11 | quot = "1/s"
   | ^^^^
   = expected: name, quota, burst, algorithm, partition_by, normalize, when_missing, cost, action, max_delay, count, denials, disclose, store, on_store_failure, precision, window, time_zone, anchor_day, at, penalty, exempt_cookie
   = help: did you mean `quota`?

2 errors"#
    );
}

#[test]
fn nothing_of_the_file_reaches_the_terminal_raw() {
    let harmless =
        |letter: char| letter == '\n' || (letter.is_ascii() && !letter.is_ascii_control());
    let escapes =
        "[plans.\"a\\u001b[31m\\u202e\"]\npolicies = [\"1/s\"] # \u{202e}\n\"\\u0007x\" = 1\n";
    let shown = render(escapes);
    assert!(shown.chars().all(harmless), "{shown:?}");
    assert!(shown.contains("`\\u{7}x`"), "{shown}");
    assert!(shown.contains("`a\\u{1b}[31m\\u{202e}`"), "{shown}");
    let raw = "[plans.a] # \u{202e}\u{9b}\u{1b}[2J\n";
    let shown = render(raw);
    assert!(shown.chars().all(harmless), "{shown:?}");
    assert!(shown.contains("# \\u{202e}\\u{9b}\\u{1b}[2J"), "{shown}");
}

#[test]
fn letters_of_any_script_stay() {
    let shown = render("[policies.a]\nquota = \"1/s\" \n\"añadir\" = \"día\"\n");
    assert!(shown.contains("\"añadir\" = \"día\""), "{shown}");
    assert!(shown.contains("  | ^^^^^^^^\n"), "{shown}");
}

#[test]
fn a_long_line_is_shown_around_the_place() {
    let many = vec!["\"60/minute burst 10\""; 40].join(", ");
    let shown = render(&format!(
        "[plans.anonymous]\npolicies = [{many}, \"1/x\", {many}]\n"
    ));
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.iter().all(|line| line.len() < 120), "{shown}");
    let line = lines[3];
    let caret = lines[4].find('^').unwrap();
    assert_eq!(&line[caret..caret + 2], "x\"");
}
