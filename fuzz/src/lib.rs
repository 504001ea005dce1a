//! The fuzz targets are this crate's tests, one file each. They run on stable Rust for
//! `AFORO_FUZZ_SECONDS` each (2 by default) and print the seed of what they break.
//! `cargo bolero test -p aforo-fuzz TARGET` runs one without end under a coverage-guided engine.

use std::time::Duration;

/// How long each target runs.
pub fn budget() -> Duration {
    let seconds = std::env::var("AFORO_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(2))
}

/// Strings together the tokens that the bytes choose; a byte beyond them stands for itself. So
/// random bytes reach deep into a grammar.
pub fn sentence(tokens: &[&str], bytes: &[u8]) -> String {
    let token = |byte: &u8| {
        tokens.get(usize::from(*byte)).map_or_else(
            || char::from(*byte).to_string(),
            |token| (*token).to_owned(),
        )
    };
    bytes.iter().map(token).collect()
}
