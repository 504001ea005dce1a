//! `aforo import`: what it writes is a file that starts.

use crate::support::{Folder, Program, Verdict};

const RATELIMIT: &str = "domain: web\ndescriptors:\n- key: remote_address\n  rate_limit: { unit: minute, requests_per_unit: 7 }\n";
const LIMITADOR: &str = "- { namespace: web, max_value: 7, seconds: 60, conditions: [], variables: [\"descriptors[0].user\"] }\n";

#[test]
fn what_is_imported_is_valid_and_starts() {
    let folder = Folder::new();
    for (kind, text) in [("envoy-ratelimit", RATELIMIT), ("limitador", LIMITADOR)] {
        let from = folder.put("from.yaml", text);
        let to = folder.put("aforo.toml", "");
        let arguments = [
            "import".as_ref(),
            kind.as_ref(),
            from.as_os_str(),
            "-o".as_ref(),
            to.as_os_str(),
        ];
        let verdict = Verdict::of(&arguments);
        assert_eq!((verdict.code, verdict.stderr.as_str()), (0, ""), "{kind}");
        let check = Verdict::of(&["check".as_ref(), to.as_os_str()]);
        assert_eq!(check.code, 0, "{}", check.stdout);
        assert!(check.stdout.contains('7'), "{}", check.stdout);
        // The same without -o.
        let printed = Verdict::of(&["import".as_ref(), kind.as_ref(), from.as_os_str()]);
        let written = std::fs::read_to_string(&to).unwrap();
        assert_eq!(printed.stdout, written);
        let _starts = Program::with_file(&written.replace(":8081", ":0"));
    }
}

#[test]
fn what_has_no_equivalent_is_told_and_exits_with_1() {
    let folder = Folder::new();
    let text = RATELIMIT.replace("remote_address", "path\n  value: \"a*b\"");
    let from = folder.put("from.yaml", &text);
    let verdict = Verdict::of(&[
        "import".as_ref(),
        "envoy-ratelimit".as_ref(),
        from.as_os_str(),
    ]);
    assert_eq!(verdict.code, 1);
    let told = "no equivalent: path-a*b: a * that is not the last letter\n";
    assert_eq!(verdict.stderr, told);
    assert!(verdict.stdout.contains("# No equivalent: path-a*b"));
}

#[test]
fn what_cannot_be_read_writes_nothing() {
    let folder = Folder::new();
    for (kind, text) in [("envoy-ratelimit", "domain: [1"), ("limitador", "{ a: b }")] {
        let from = folder.put("from.yaml", text);
        let to = folder.put("aforo.toml", "before");
        let arguments = [
            "import".as_ref(),
            kind.as_ref(),
            from.as_os_str(),
            "-o".as_ref(),
            to.as_os_str(),
        ];
        let verdict = Verdict::of(&arguments);
        assert_eq!(verdict.code, 2);
        assert!(verdict.stderr.contains("from.yaml"), "{}", verdict.stderr);
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "before");
    }
    let absent = Verdict::of(&["import", "limitador", "/nowhere.yaml"]);
    assert_eq!(absent.code, 2);
    assert!(absent.stderr.contains("cannot read /nowhere.yaml"));
}
