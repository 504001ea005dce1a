//! What is written decides as its source does, by a model of the source.

use std::collections::HashMap;

use aforo::core::{HashKey, Span, Timestamp};
use aforo::decide::Descriptor;
use aforo::policy::{DescriptorEntry, Place, Settings};
use aforo::{Limiter, ManualClock, ProcessEnvironment};

use super::{envoy, limitador, written::Written};

type Entries = Vec<(&'static str, &'static str)>;

/// The reference: a counter per descriptor and window, whose edges are multiples of its length.
#[derive(Default)]
struct Fixed(HashMap<(String, u64), u64>);

impl Fixed {
    /// Whether a descriptor with this quota is within it, counting it.
    fn passes(&mut self, entries: &Entries, quota: Option<(u64, u64)>, now: u64) -> bool {
        let Some((amount, seconds)) = quota else {
            return true;
        };
        let count = self
            .0
            .entry((format!("{entries:?}"), now / seconds))
            .or_default();
        *count += 1;
        *count <= amount
    }
}

struct Imported {
    limiter: Limiter,
    clock: ManualClock,
    domain: &'static str,
    now: u64,
}

impl Imported {
    fn new(written: &Written, domain: &'static str) -> Self {
        let text = written.text();
        let settings = Settings::parse("aforo.toml", &text, &ProcessEnvironment);
        let settings = settings.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(crate::lint::findings(&settings).is_empty(), "{text}");
        let now = 1_790_000_000;
        let clock = ManualClock::at(Timestamp::from_seconds(now));
        let limiter = Limiter::builder()
            .settings(settings)
            .place(Place::Decide)
            .clock(clock.clone())
            .hash_key(HashKey::new([1, 2]))
            .build()
            .unwrap();
        Self {
            limiter,
            clock,
            domain,
            now,
        }
    }

    fn passes(&self, entries: &Entries) -> bool {
        let entries: Vec<DescriptorEntry<'_>> = entries
            .iter()
            .map(|&(key, value)| DescriptorEntry { key, value })
            .collect();
        let descriptor = Descriptor {
            entries: &entries,
            hits: 1,
            limit: None,
        };
        let decided = self
            .limiter
            .decide_descriptors_now(self.domain, &[descriptor]);
        decided.unwrap().unwrap().ruling.is_allowed()
    }

    fn wait(&mut self, seconds: u64) {
        self.now += seconds;
        self.clock.advance(Span::from_seconds(seconds));
    }
}

/// A stream of numbers without any meaning.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }
}

const MAIL: &str = r#"
domain: mail
descriptors:
  - key: kind
    value: newsletter
    descriptors:
      - key: to
        rate_limit: { unit: day, requests_per_unit: 2 }
  - key: kind
    value: alert
  - key: kind
    rate_limit: { unit: minute, requests_per_unit: 3 }
  - key: to
    value: "+34*"
    rate_limit: { unit: hour, requests_per_unit: 4 }
  - key: to
    rate_limit: { unit: week, requests_per_unit: 5 }
  - key: file
    value: "reports/*"
    share_threshold: true
    rate_limit: { unit: month, requests_per_unit: 3 }
  - key: plan
    value: none
    rate_limit: { unit: second, requests_per_unit: 0 }
  - key: plan
    value: all
    rate_limit: { unlimited: true }
  - key: quiet
    shadow_mode: true
    rate_limit: { unit: year, requests_per_unit: 1 }
"#;

/// What the reference counts a descriptor of `MAIL` by: the counter, units and seconds. Told by hand.
fn mail(entries: &Entries) -> (Entries, Option<(u64, u64)>) {
    let quota = match entries.as_slice() {
        [("kind", "newsletter"), ("to", _)] => Some((2, 86_400)),
        [("kind", "newsletter" | "alert")] => None,
        [("kind", _)] => Some((3, 60)),
        [("to", to)] if to.starts_with("+34") => Some((4, 3_600)),
        [("to", _)] => Some((5, 604_800)),
        [("file", file)] if file.starts_with("reports/") => {
            return (vec![("file", "reports/*")], Some((3, 2_592_000)));
        }
        [("plan", "none")] => Some((0, 1)),
        _ => None,
    };
    (entries.clone(), quota)
}

#[test]
fn an_imported_domain_decides_as_the_reference() {
    let mut written = Written::default();
    envoy::import(MAIL, &mut written).unwrap();
    assert_eq!(written.lacking(), [""; 0]);
    let mut imported = Imported::new(&written, "mail");
    let asked: Vec<Entries> = vec![
        vec![("kind", "newsletter"), ("to", "ana")],
        vec![("kind", "newsletter"), ("to", "leo")],
        vec![("kind", "newsletter")],
        vec![("kind", "alert")],
        vec![("kind", "alert"), ("to", "ana")],
        vec![("kind", "other")],
        vec![("kind", "other"), ("to", "ana")],
        vec![("to", "+34600")],
        vec![("to", "+34700")],
        vec![("to", "+49")],
        vec![("file", "reports/a")],
        vec![("file", "reports/b")],
        vec![("file", "other")],
        vec![("plan", "none")],
        vec![("plan", "all")],
        vec![("plan", "some")],
        vec![("quiet", "x")],
    ];
    let mut model = Fixed::default();
    let mut dice = Dice(88_172_645_463_325_252);
    let mut denied = 0;
    for round in 0..20_000 {
        let entries = &asked[dice.below(asked.len())];
        let (counter, quota) = mail(entries);
        let expected = model.passes(&counter, quota, imported.now);
        assert_eq!(imported.passes(entries), expected, "{round}: {entries:?}");
        denied += usize::from(!expected);
        let waits = [0, 0, 0, 1, 7, 40, 900, 30_000, 500_000];
        imported.wait(waits[dice.below(waits.len())]);
    }
    assert!(denied > 1_000, "{denied}");
}

#[test]
fn what_has_no_equivalent_is_told() {
    let mut written = Written::default();
    let text = r#"
domain: web
descriptors:
  - key: path
    value: "/a*b"
    rate_limit: { unit: minute, requests_per_unit: 1 }
  - key: path
    value: "/a*"
    rate_limit: { name: short, unit: minute, requests_per_unit: 1, replaces: [{ name: long }] }
  - key: path
    value: "/ab*"
    rate_limit: { unit: minute, requests_per_unit: 2 }
  - key: path
    value: "${HOME}"
    quota_mode: true
    detailed_metric: true
    rate_limit: { unit: minute, requests_per_unit: 3 }
"#;
    envoy::import(text, &mut written).unwrap();
    assert_eq!(
        written.lacking(),
        [
            "path-/a*b: a * that is not the last letter",
            "path-/a*: replaces; both are counted",
            "path-${HOME}: quota_mode: it denies like any other",
        ]
    );
    let file = written.text();
    assert!(
        file.contains("# Left out, since a * above takes it: path-/ab*"),
        "{file}"
    );
    let imported = Imported::new(&written, "web");
    let passes = |path| {
        (0..5)
            .take_while(|_| imported.passes(&vec![("path", path)]))
            .count()
    };
    // The first * that fits is taken, in the reference too.
    assert_eq!(passes("/abc"), 1);
    assert_eq!(passes("${HOME}"), 3, "no variable is put in");
    assert!(
        envoy::import(
            "domain: a\ndescriptors: [{ kee: b }]",
            &mut Written::default()
        )
        .is_err()
    );
}

const SHOP: &str = r#"
- namespace: shop
  max_value: 3
  seconds: 60
  conditions: ["descriptors[0].method == 'GET'"]
  variables: ["descriptors[0].user"]
- namespace: shop
  name: writes
  max_value: 2
  seconds: 60
  conditions: ["descriptors[0].method != 'GET'"]
  variables: ["descriptors[0].user"]
- namespace: shop
  max_value: 12
  seconds: 3600
  conditions: []
  variables: []
"#;

/// Limitador: a counter per limit and variables from the first unit on, all or none.
#[derive(Default)]
struct Limitador(HashMap<(usize, &'static str), (u64, u64)>);

impl Limitador {
    fn passes(&mut self, entries: &Entries, now: u64) -> bool {
        let of = |key: &str| {
            entries
                .iter()
                .find(|(known, _)| *known == key)
                .map(|(_, value)| *value)
        };
        let mut applying = vec![((2, ""), 12, 3_600)];
        match (of("method"), of("user")) {
            (Some("GET"), Some(user)) => applying.push(((0, user), 3, 60)),
            (Some(_), Some(user)) => applying.push(((1, user), 2, 60)),
            _ => {}
        }
        for (counter, _, seconds) in &applying {
            let held = self.0.entry(*counter).or_insert((0, now + seconds));
            if held.1 <= now {
                *held = (0, now + seconds);
            }
        }
        let fits = applying
            .iter()
            .all(|(counter, most, _)| self.0[counter].0 < *most);
        for (counter, _, seconds) in &applying {
            let held = self.0.get_mut(counter).unwrap();
            if fits {
                held.0 += 1;
            } else if held.0 == 0 {
                // Nothing was taken: its window has not begun.
                held.1 = now + seconds;
            }
        }
        for (counter, _, _) in &applying {
            if self.0[counter].0 == 0 {
                self.0.remove(counter);
            }
        }
        fits
    }
}

#[test]
fn imported_limits_decide_as_limitador() {
    let mut written = Written::default();
    limitador::import(&limitador::read(SHOP).unwrap(), &mut written);
    assert_eq!(written.lacking(), [""; 0]);
    let mut imported = Imported::new(&written, "shop");
    let asked: Vec<Entries> = vec![
        vec![("method", "GET"), ("user", "ana")],
        vec![("method", "POST"), ("user", "ana")],
        vec![("method", "PUT"), ("user", "ana")],
        vec![("method", "GET"), ("user", "leo")],
        vec![("method", "GET")],
        vec![("user", "ana")],
    ];
    let mut model = Limitador::default();
    let mut dice = Dice(1_181_783_497_276_652_981);
    let mut denied = 0;
    for round in 0..20_000 {
        let entries = &asked[dice.below(asked.len())];
        let expected = model.passes(entries, imported.now);
        assert_eq!(imported.passes(entries), expected, "{round}: {entries:?}");
        denied += usize::from(!expected);
        let waits = [0, 1, 20, 61, 400, 4_000];
        imported.wait(waits[dice.below(waits.len())]);
    }
    assert!(denied > 1_000, "{denied}");
}

#[test]
fn limits_without_an_equivalent_are_left_out_and_told() {
    let text = r#"
- { namespace: a, name: cel, max_value: 1, seconds: 60, conditions: ["size(descriptors) == 2"], variables: [] }
- { namespace: a, name: second, max_value: 1, seconds: 60, conditions: [], variables: ["descriptors[1].user"] }
- { namespace: a, name: long, max_value: 1, seconds: 99999999, conditions: [], variables: ["descriptors[0].user"] }
"#;
    let mut written = Written::default();
    limitador::import(&limitador::read(text).unwrap(), &mut written);
    assert_eq!(
        written.lacking(),
        [
            "cel: the condition `size(descriptors) == 2`; it is left out",
            "second: the variable `descriptors[1].user`; it is left out",
            "long: a window of 99999999 seconds; it is left out",
        ]
    );
    let settings = Settings::parse("a.toml", &written.text(), &ProcessEnvironment);
    assert!(settings.is_ok());
}
