//! A file with a registry, and the commands on it.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Folder, Program, Verdict};

/// An aforo file in a folder of its own, with a registry beside it.
pub(crate) struct Scene {
    pub(crate) folder: PathBuf,
    pub(crate) file: String,
    pub(crate) url: String,
    _held: Folder,
}

impl Scene {
    /// A registry in a SQLite file.
    pub(crate) fn sqlite() -> Self {
        Self::at(None)
    }

    /// A registry at an address; none: a SQLite file.
    pub(crate) fn at(url: Option<&str>) -> Self {
        let held = Folder::new();
        let first = held.put("aforo.toml", "");
        let folder = first.parent().unwrap().to_owned();
        let url = match url {
            Some(url) => url.to_owned(),
            None => format!("sqlite:{}/consumers.db", folder.display()),
        };
        let text = format!(
            "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\n\
             [identity]\nregistry = \"{url}\"\ndefault_plan = \"free\"\n\
             api_key = [{{ header = \"x-api-key\" }}, \
             {{ header = \"authorization\", scheme = \"Bearer\" }}]\n\
             lookup = {{ cache = \"200ms\", cache_unknown = \"100ms\", timeout = \"5s\" }}\n\n\
             [plans.anonymous]\npolicies = [\"1000/hour fixed-window\"]\n\n\
             [plans.free]\npolicies = [\"2000/hour fixed-window\"]\n\n\
             [plans.pro]\npolicies = [\"3000/hour fixed-window\"]\n\n\
             [teams.blue]\npolicies = [\"9000/hour fixed-window\"]\n"
        );
        let file = held.put("aforo.toml", &text).display().to_string();
        Self {
            folder,
            file,
            url,
            _held: held,
        }
    }

    /// `aforo consumer` with the file.
    pub(crate) fn command(&self, arguments: &[&str]) -> Verdict {
        let mut all = vec!["consumer"];
        all.extend(arguments);
        all.extend(["--file", &self.file, "--by", "ana"]);
        Verdict::of(&all)
    }

    /// The same, which does what it is told and says it for programs.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.extend(["--format", "json"]);
        let verdict = self.command(&all);
        assert_eq!(verdict.code, 0, "{arguments:?}: {}", verdict.stderr);
        serde_json::from_str(&verdict.stdout).unwrap()
    }

    /// A key of a new consumer with the plan pro.
    pub(crate) fn key_of(&self, id: &str) -> String {
        let created = self.command(&["create", id, "--plan", "pro"]);
        assert_eq!(created.code, 0, "{}", created.stderr);
        let issued = self.command(&["issue-key", id]);
        assert_eq!(issued.code, 0, "{}", issued.stderr);
        issued.stdout.trim().to_owned()
    }

    /// The gateway of the file.
    pub(crate) fn gateway(&self) -> Program {
        Program::run(&[&self.file])
    }

    /// The gateway of the same file with more lines in `[identity]`.
    pub(crate) fn gateway_with(&self, identity: &str) -> Program {
        self.gateway_of(|text| text.replacen("[identity]", &format!("[identity]\n{identity}"), 1))
    }

    /// The gateway of the same file, changed.
    pub(crate) fn gateway_of(&self, change: impl FnOnce(String) -> String) -> Program {
        let text = std::fs::read_to_string(&self.file).unwrap();
        let path = self.folder.join("more.toml");
        std::fs::write(&path, change(text)).unwrap();
        Program::run(&[path.as_os_str()])
    }
}

/// The field that names the plan, of a request with this key.
pub(crate) fn plan(program: &Program, key: &str) -> String {
    let mut client = program.client();
    client.send(format!(
        "GET / HTTP/1.1\r\nhost: a\r\nx-api-key: {key}\r\n\r\n"
    ));
    let response = client.response();
    let policy = response.field("x-ratelimit-policy").unwrap_or_default();
    policy.split(';').next().unwrap_or_default().to_owned()
}
