//! The field `Date`.

use std::time::{Duration, UNIX_EPOCH};

use aforo::store::{Clock as _, WallClock};

/// The value of the field `Date` (RFC 9110, section 6.6.1), written once for each second.
#[derive(Debug, Default)]
pub(super) struct Date {
    second: u64,
    text: String,
}

impl Date {
    /// What it says now.
    pub(super) fn now(&mut self) -> &str {
        self.at(Duration::from_micros(WallClock.now().as_micros()))
    }

    fn at(&mut self, since: Duration) -> &str {
        if since.as_secs() != self.second || self.text.is_empty() {
            let time = UNIX_EPOCH.checked_add(since);
            self.text = time.map(httpdate::fmt_http_date).unwrap_or_default();
            self.second = since.as_secs();
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_changes_with_the_second() {
        let mut date = Date::default();
        let said = [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_777_999, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_778_000, "Sun, 06 Nov 1994 08:49:38 GMT"),
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
        ];
        for (millis, text) in said {
            assert_eq!(date.at(Duration::from_millis(millis)), text);
        }
        assert_eq!(
            Date::default().at(Duration::ZERO),
            "Thu, 01 Jan 1970 00:00:00 GMT"
        );
    }
}
