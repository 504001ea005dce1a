//! The names of an upstream's fields, which are the same in answer after answer.

use http::HeaderName;
use http::header::InvalidHeaderName;

/// How many names are remembered.
const MOST_NAMES: usize = 16;
/// The longest name that is remembered.
const LONGEST_NAME: usize = 64;

/// The names of the last answers' fields by their places: a name that is spelled as it was in the
/// answer before need not be read again.
#[derive(Debug, Default)]
pub(super) struct FieldNames(Vec<Remembered>);

#[derive(Debug)]
struct Remembered {
    spelled: Box<str>,
    name: HeaderName,
}

impl FieldNames {
    /// The name that is `spelled` so in the field at `place`.
    pub(super) fn name(
        &mut self,
        place: usize,
        spelled: &str,
    ) -> Result<HeaderName, InvalidHeaderName> {
        if let Some(known) = self.0.get(place).filter(|known| *known.spelled == *spelled) {
            return Ok(known.name.clone());
        }
        let name = HeaderName::from_bytes(spelled.as_bytes())?;
        self.remember(place, spelled, &name);
        Ok(name)
    }

    fn remember(&mut self, place: usize, spelled: &str, name: &HeaderName) {
        if spelled.len() > LONGEST_NAME {
            return;
        }
        let remembered = || Remembered {
            spelled: spelled.into(),
            name: name.clone(),
        };
        if let Some(known) = self.0.get_mut(place) {
            *known = remembered();
        } else if place == self.0.len() && place < MOST_NAMES {
            self.0.push(remembered());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &mut FieldNames, spelled: &[&str]) -> Vec<String> {
        let places = spelled.iter().enumerate();
        let read = places.map(|(place, spelled)| names.name(place, spelled).unwrap().to_string());
        read.collect()
    }

    #[test]
    fn names_are_read_by_their_spelling_wherever_they_stand() {
        let mut names = FieldNames::default();
        for _ in 0..2 {
            assert_eq!(read(&mut names, &["Date", "X-One"]), ["date", "x-one"]);
        }
        assert_eq!(read(&mut names, &["X-One", "date"]), ["x-one", "date"]);
        assert_eq!(read(&mut names, &["x-one", "x-two"]), ["x-one", "x-two"]);
        assert!(names.name(0, "x one").is_err());
        assert_eq!(read(&mut names, &["x-one"]), ["x-one"]);
    }

    #[test]
    fn so_many_names_are_kept_and_no_more() {
        let mut names = FieldNames::default();
        let spelled: Vec<_> = (0..40).map(|number| format!("x-{number}")).collect();
        let spelled: Vec<_> = spelled.iter().map(String::as_str).collect();
        assert_eq!(read(&mut names, &spelled), spelled);
        assert_eq!(names.0.len(), MOST_NAMES);
        let long = "x".repeat(LONGEST_NAME + 1);
        assert_eq!(read(&mut names, &[&long]), [long.as_str()]);
        assert_eq!(*names.0[0].spelled, *"x-0");
    }
}
