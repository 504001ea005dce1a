//! Parts that are read in the body.

use super::Bytes;
use super::json::{Found, at_pointer};
use super::media::Media;
use super::urlencoded::{Twice, field};
use crate::{Alternatives, Facts, Part, Refusal};

/// What the body says in a part. A body that none of the alternatives can read is refused: what
/// the policy cannot see, the server behind it may.
pub(super) fn value(
    facts: &Facts<'_>,
    part: &Part,
    alternatives: &Alternatives,
) -> Result<Option<Bytes>, Refusal> {
    let Some(bytes) = facts.body.map(|body| body.bytes).filter(|b| !b.is_empty()) else {
        return Ok(None);
    };
    let readable = |media: &Media| alternatives.0.iter().any(|part| reads(part, *media));
    let Some(media) = Media::of(facts.headers).filter(readable) else {
        return Err(unreadable(alternatives));
    };
    match (part, media) {
        (Part::Body(pointer), Media::Json) => match at_pointer(bytes, pointer) {
            Ok(Found::Nothing) => Ok(None),
            Ok(Found::Text(text)) => Ok(Some(text.into_bytes().into())),
            Ok(Found::Twice) => Err(twice(part)),
            Ok(Found::Array(_) | Found::Object) => Err(Refusal::UnreadableBody {
                expected: format!("JSON with a text or a number at {pointer}"),
            }),
            Err(_) => Err(unreadable(alternatives)),
        },
        (Part::Form(name), Media::Form) => {
            let value = field(bytes, name).map_err(|Twice| twice(part))?;
            match value {
                Some(value) if std::str::from_utf8(&value).is_err() => {
                    Err(unreadable(alternatives))
                }
                value => Ok(value),
            }
        }
        _ => Ok(None),
    }
}

/// How many items the JSON array at `pointer` has; none when nothing is there. What is no array is
/// refused: the server behind may read a list in it.
pub(crate) fn items(facts: &Facts<'_>, pointer: &str) -> Result<Option<u64>, Refusal> {
    let Some(bytes) = facts.body.map(|body| body.bytes).filter(|b| !b.is_empty()) else {
        return Ok(None);
    };
    let unreadable = || Refusal::UnreadableBody {
        expected: format!("{} with an array at {pointer:?}", Media::Json.name()),
    };
    if Media::of(facts.headers) != Some(Media::Json) {
        return Err(unreadable());
    }
    match at_pointer(bytes, pointer) {
        Ok(Found::Nothing) => Ok(None),
        Ok(Found::Array(items)) => Ok(Some(items)),
        Ok(Found::Twice) => Err(Refusal::DuplicatePart {
            part: format!("body:{pointer}"),
        }),
        Ok(Found::Text(_) | Found::Object) | Err(_) => Err(unreadable()),
    }
}

/// Whether a part is read in a body of this kind.
const fn reads(part: &Part, media: Media) -> bool {
    matches!(
        (part, media),
        (Part::Body(_), Media::Json) | (Part::Form(_), Media::Form)
    )
}

fn twice(part: &Part) -> Refusal {
    Refusal::DuplicatePart {
        part: part.to_string(),
    }
}

fn unreadable(alternatives: &Alternatives) -> Refusal {
    let names: Vec<&str> = [Media::Json, Media::Form]
        .into_iter()
        .filter(|media| alternatives.0.iter().any(|part| reads(part, *media)))
        .map(Media::name)
        .collect();
    Refusal::UnreadableBody {
        expected: names.join(" or "),
    }
}
