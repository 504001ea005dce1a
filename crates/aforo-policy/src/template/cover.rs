//! Whether a template, as another router writes it, matches a path.

/// Whether the text of a template (`/users/{id}`, `/files/{*rest}`) matches a path in its folded
/// form. Braces around anything count as a parameter.
pub(crate) fn covers(template: &str, path: &str) -> bool {
    let (Some(mut template), Some(mut path)) =
        (template.strip_prefix('/'), path.strip_prefix('/').map(Some))
    else {
        return false;
    };
    loop {
        let (piece, template_after) = split(template);
        if is_rest(piece) {
            return true;
        }
        let Some((segment, path_after)) = path.map(split) else {
            return false;
        };
        let fits = if is_parameter(piece) {
            !segment.is_empty()
        } else {
            piece == segment
        };
        match (fits, template_after) {
            (false, _) => return false,
            (true, None) => return path_after.is_none(),
            (true, Some(after)) => (template, path) = (after, path_after),
        }
    }
}

/// The template without a last `{*rest}`: every path it covers begins so.
pub(crate) fn without_rest(template: &str) -> &str {
    match template.rsplit_once('/') {
        Some((_, last)) if is_rest(last) => template.strip_suffix(last).unwrap_or(template),
        _ => template,
    }
}

fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once('/') {
        Some((piece, after)) => (piece, Some(after)),
        None => (text, None),
    }
}

fn is_parameter(piece: &str) -> bool {
    piece.starts_with('{') && piece.ends_with('}')
}

fn is_rest(piece: &str) -> bool {
    piece.starts_with("{*") && piece.ends_with('}')
}
