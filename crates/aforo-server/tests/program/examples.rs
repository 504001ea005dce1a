//! The files in `examples/`: each is valid.

use crate::support::Verdict;

#[test]
fn every_example_is_valid() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let check = Verdict::of(&["check", path.to_str().unwrap()]);
            assert!(check.code < 2, "{}: {}", path.display(), check.stdout);
            seen += 1;
        }
    }
    assert!(seen > 0);
}
