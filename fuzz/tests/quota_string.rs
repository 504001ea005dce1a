//! Quota strings: never panics; what is accepted is written back as a text that means the same.

use aforo_policy::file::QuotaText;

const TOKENS: [&str; 34] = [
    "60",
    "1",
    "0",
    "_",
    "9007199254740993",
    "18446744073709551616",
    "-",
    "1e3",
    "1.5",
    "O",
    "unlimited",
    "/",
    " / ",
    "minute",
    "minutes",
    "min",
    "s",
    "ms",
    "hour",
    "h",
    "day",
    "d",
    "week",
    "month",
    "15",
    " burst ",
    "burst",
    " ",
    "token-bucket",
    "gcra",
    "leaky-bucket",
    "fixed-window",
    "sliding-window",
    "sliding-log",
];

#[test]
fn quota_string_is_written_back_as_it_means() {
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let text = aforo_fuzz::sentence(&TOKENS, bytes);
            if let Ok(quota) = text.parse::<QuotaText>() {
                let again: QuotaText = quota
                    .to_string()
                    .parse()
                    .expect("what is written is accepted");
                assert_eq!(again, quota, "from {text:?}");
            }
        });
}
