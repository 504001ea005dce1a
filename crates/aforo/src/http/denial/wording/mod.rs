//! Titles and details for people, one file per language.

mod english;
mod spanish;

use super::Refused;
use super::account::Account;
use super::language::Spoken;

/// What kind of refusal it is; the same for every occurrence (RFC 9457, section 3.1.3).
pub(super) const fn title(refused: &Refused<'_>, spoken: Spoken) -> &'static str {
    match spoken {
        Spoken::English => english::title(refused),
        Spoken::Spanish => spanish::title(refused),
    }
}

/// What happened and when to come back, in a sentence or two.
pub(super) fn detail(refused: &Refused<'_>, account: &Account<'_>) -> String {
    match account.spoken {
        Spoken::English => english::detail(refused, account),
        Spoken::Spanish => spanish::detail(refused, account),
    }
}

/// An error's words as a sentence.
#[cfg(feature = "graphql")]
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let mut sentence: String = first.chain(letters).collect();
    if !sentence.ends_with('.') {
        sentence.push('.');
    }
    sentence
}

/// The words of a language for lengths of time: singular and plural.
struct Units {
    day: [&'static str; 2],
    hour: [&'static str; 2],
    minute: [&'static str; 2],
    second: [&'static str; 2],
    and: &'static str,
}

/// What a developer does when the peer is unknown: names, so the same in every language.
const REMEDY: &str = "Remedy: into_make_service_with_connect_info::<SocketAddr>() or \
                      aforo::PeerAddress.";

const MINUTE: u64 = 60;
const HOUR: u64 = 3_600;
const DAY: u64 = 86_400;

impl Units {
    /// A length of time in its two largest units, rounded up: "2 hours and 5 minutes".
    fn say(&self, seconds: u64) -> String {
        let in_minutes = seconds.div_ceil(MINUTE).saturating_mul(MINUTE);
        let in_hours = seconds.div_ceil(HOUR).saturating_mul(HOUR);
        if seconds < HOUR {
            self.both(
                (seconds / MINUTE, self.minute),
                (seconds % MINUTE, self.second),
            )
        } else if in_minutes < DAY {
            let minutes = in_minutes % HOUR / MINUTE;
            self.both((in_minutes / HOUR, self.hour), (minutes, self.minute))
        } else {
            let hours = in_hours % DAY / HOUR;
            self.both((in_hours / DAY, self.day), (hours, self.hour))
        }
    }

    fn both(&self, large: (u64, [&str; 2]), small: (u64, [&str; 2])) -> String {
        match (large, small) {
            ((0, _), small) => count(small),
            (large, (0, _)) => count(large),
            (large, small) => format!("{} {} {}", count(large), self.and, count(small)),
        }
    }
}

fn count((number, [one, many]): (u64, [&str; 2])) -> String {
    let unit = if number == 1 { one } else { many };
    format!("{number} {unit}")
}

/// Several names in a row: "a, b and c".
fn row(names: &[impl AsRef<str>], and: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} {and} {}", first.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_rounded_up_to_two_units() {
        let cases = [
            (1, "1 second", "1 segundo"),
            (59, "59 seconds", "59 segundos"),
            (60, "1 minute", "1 minuto"),
            (61, "1 minute and 1 second", "1 minuto y 1 segundo"),
            (
                3_599,
                "59 minutes and 59 seconds",
                "59 minutos y 59 segundos",
            ),
            (3_600, "1 hour", "1 hora"),
            (3_601, "1 hour and 1 minute", "1 hora y 1 minuto"),
            (7_500, "2 hours and 5 minutes", "2 horas y 5 minutos"),
            (84_000, "23 hours and 20 minutes", "23 horas y 20 minutos"),
            (86_399, "1 day", "1 día"),
            (86_401, "1 day and 1 hour", "1 día y 1 hora"),
            (30 * 86_400, "30 days", "30 días"),
        ];
        for (seconds, english, spanish) in cases {
            assert_eq!(english::UNITS.say(seconds), english);
            assert_eq!(spanish::UNITS.say(seconds), spanish);
        }
        assert_eq!(
            english::UNITS.say(u64::MAX),
            "213503982334601 days and 7 hours"
        );
    }

    #[test]
    fn names_stand_in_a_row() {
        assert_eq!(row(&["a"], "and"), "a");
        assert_eq!(row(&["a", "b"], "and"), "a and b");
        assert_eq!(row(&["a", "b", "c"], "y"), "a, b y c");
    }
}
