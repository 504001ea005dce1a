//! The upstream's own fields beside ours: one value per field.

use ::http::header::Entry;
use ::http::{HeaderMap, HeaderName, HeaderValue};
use aforo_policy::UpstreamFields;
use sfv::Parser;
use sfv::visitor::Ignored;

use super::fields::{MOST, Ours, RATELIMIT, RATELIMIT_POLICY, put};
use super::x_ratelimit::{LIMIT, POLICY, REMAINING, RESET};

static X_RATELIMIT: [HeaderName; 4] = [LIMIT, REMAINING, RESET, POLICY];
static LISTS: [HeaderName; 2] = [RATELIMIT_POLICY, RATELIMIT];

/// Puts our fields beside what the upstream sent.
///
/// - `Merge`: the lists of RateLimit and RateLimit-Policy are joined, unless the upstream's is no
///   list (an older draft's syntax), which would make the whole field unreadable: then ours
///   replaces it. Of the X-RateLimit fields the set with fewer remaining is kept whole, never
///   a mixture; ours when the upstream's remaining cannot be read.
/// - `Replace`: the upstream's are removed, also where there are none of ours.
/// - `Keep`: of each family the upstream's set, where it sent any field of it.
pub(super) fn join(headers: &mut HeaderMap, ours: &Ours<'_>, way: UpstreamFields) {
    if ours.are_none() && way != UpstreamFields::Replace {
        return;
    }
    // Most upstreams send none, and one look at the names is cheaper than a look-up of each.
    if !headers.keys().any(is_ours) {
        return insert(headers, ours, |_| true);
    }
    beside(headers, ours, way);
}

#[cold]
fn beside(headers: &mut HeaderMap, ours: &Ours<'_>, way: UpstreamFields) {
    match way {
        UpstreamFields::Merge => merge(headers, ours),
        UpstreamFields::Replace => {
            remove(headers, &X_RATELIMIT);
            remove(headers, &LISTS);
            insert(headers, ours, |_| true);
        }
        UpstreamFields::Keep => {
            let has_set = X_RATELIMIT.iter().any(|name| headers.contains_key(name));
            let has_lists = LISTS.iter().any(|name| headers.contains_key(name));
            insert(headers, ours, |name| {
                !(if is_list(name) { has_lists } else { has_set })
            });
        }
    }
}

fn merge(headers: &mut HeaderMap, ours: &Ours<'_>) {
    let theirs = ours
        .remaining()
        .and_then(|ours| Some((remaining(headers)?, ours)));
    let keeps_theirs = match theirs {
        Some((Some(theirs), ours)) => theirs < ours,
        _ => false,
    };
    if keeps_theirs {
        X_RATELIMIT
            .iter()
            .for_each(|name| make_single(headers, name));
    } else if theirs.is_some() {
        remove(headers, &X_RATELIMIT);
    }
    ours.give(|name, value| {
        if is_list(&name) {
            append(headers, name, value);
        } else if !keeps_theirs {
            put(headers, name, value);
        }
    });
}

/// What the upstream says is left: `None` when it says nothing, `Some(None)` when that is no number.
fn remaining(headers: &HeaderMap) -> Option<Option<u64>> {
    let value = headers.get(REMAINING)?;
    let number = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok());
    Some(number)
}

/// Whether this is one of the fields that we write.
fn is_ours(name: &HeaderName) -> bool {
    let name = name.as_str();
    (name.starts_with("x-ratelimit") || name.starts_with("ratelimit"))
        && X_RATELIMIT.iter().chain(&LISTS).any(|ours| ours == name)
}

fn is_list(name: &HeaderName) -> bool {
    *name == RATELIMIT || *name == RATELIMIT_POLICY
}

fn remove(headers: &mut HeaderMap, names: &[HeaderName]) {
    for name in names {
        headers.remove(name);
    }
}

#[inline]
fn insert(headers: &mut HeaderMap, ours: &Ours<'_>, wanted: impl Fn(&HeaderName) -> bool) {
    if ours.are_none() {
        return;
    }
    // Room for all at once; a map that holds all it can says so again at each field.
    let _full = headers.try_reserve(MOST);
    ours.give(|name, value| {
        if wanted(&name) {
            put(headers, name, value);
        }
    });
}

/// Leaves the first of several values.
fn make_single(headers: &mut HeaderMap, name: &HeaderName) {
    if headers.get_all(name).iter().nth(1).is_some()
        && let Some(first) = headers.get(name).cloned()
    {
        put(headers, name.clone(), first);
    }
}

/// Adds a list to the one that is there, as one value.
fn append(headers: &mut HeaderMap, name: HeaderName, ours: HeaderValue) {
    match headers.try_entry(name) {
        Ok(Entry::Vacant(place)) => {
            let _full = place.try_insert(ours);
        }
        Ok(Entry::Occupied(mut place)) => {
            let joined = joined(place.iter(), &ours).unwrap_or(ours);
            place.insert(joined);
        }
        Err(_full) => {}
    }
}

/// The upstream's lines and ours as one list, when the upstream's are a list.
fn joined<'a>(
    theirs: impl Iterator<Item = &'a HeaderValue>,
    ours: &HeaderValue,
) -> Option<HeaderValue> {
    let mut list = Vec::new();
    for line in theirs
        .map(HeaderValue::as_bytes)
        .filter(|line| !line.trim_ascii().is_empty())
    {
        if !list.is_empty() {
            list.extend_from_slice(b", ");
        }
        list.extend_from_slice(line);
    }
    if list.is_empty() {
        return None;
    }
    Parser::new(&list).parse_list_with_visitor(Ignored).ok()?;
    list.extend_from_slice(b", ");
    list.extend_from_slice(ours.as_bytes());
    HeaderValue::from_maybe_shared(bytes::Bytes::from(list)).ok()
}

#[cfg(test)]
#[path = "upstream_fields_tests.rs"]
mod tests;
