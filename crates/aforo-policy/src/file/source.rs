//! The files that were read, and places in them.

/// A place in one of the files: bytes `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::file) struct Location {
    pub(in crate::file) file: usize,
    pub(in crate::file) start: usize,
    pub(in crate::file) end: usize,
}

/// A file that was read.
#[derive(Debug)]
pub(in crate::file) struct Source {
    pub(in crate::file) name: String,
    pub(in crate::file) text: String,
}

/// Where a place is, for people: line and column from 1, the whole line, and how many of its
/// characters are meant.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::file) struct Position {
    pub(in crate::file) line: usize,
    pub(in crate::file) column: usize,
    pub(in crate::file) width: usize,
    pub(in crate::file) text: String,
}

impl Source {
    /// The position of a place. Places outside the text, or inside a character, are moved to the
    /// nearest character before.
    pub(in crate::file) fn position(&self, at: Location) -> Position {
        let start = self.floor(at.start);
        let before = self.text.get(..start).unwrap_or_default();
        let line_start = before
            .rfind('\n')
            .map_or(0, |newline| newline.saturating_add(1));
        let rest = self.text.get(line_start..).unwrap_or_default();
        let text = rest.split('\n').next().unwrap_or_default();
        let text = text.strip_suffix('\r').unwrap_or(text);
        let line_end = line_start.saturating_add(text.len());
        let end = self.floor(at.end).min(line_end);
        let meant = self.text.get(start..end).unwrap_or_default();
        let lead = self.text.get(line_start..start).unwrap_or_default();
        Position {
            line: before.matches('\n').count().saturating_add(1),
            column: lead.chars().count().saturating_add(1),
            width: meant.chars().count().max(1),
            text: text.to_owned(),
        }
    }

    fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset.min(self.text.len()))
    }
}
