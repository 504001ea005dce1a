//! Form bodies: never panics, and counts the one value that the URL Standard's parser finds.

#![allow(
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "a test may panic"
)]

mod login;

use login::{Counted, Login};

const TOKENS: [&str; 20] = [
    "&", "=", "a", "a=", "&a=", "%61", "%61=", "+", "%20", "%", "%4", "%zz", "%C3%A9", "%E9", "é",
    "b", "A=", ";", "\0", "a[]=",
];

#[test]
fn form_body_counts_the_one_value_of_its_field() {
    let login = Login::by("form:a", "/a");
    let media = "application/x-www-form-urlencoded";
    let among = |text: &str| vec![text.to_owned()];
    assert_eq!(
        login.body_among(media, b"b=1&%61=ana+b", &among("ana b")),
        Counted::As("ana b".to_owned())
    );
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let body = aforo_fuzz::sentence(&TOKENS, bytes);
            let values: Vec<String> = form_urlencoded::parse(body.as_bytes())
                .filter(|(name, _)| name == "a")
                .map(|(_, value)| value.into_owned())
                .collect();
            let counted = login.body_among(media, body.as_bytes(), &values);
            match values.as_slice() {
                [] => assert_eq!(counted, Counted::Nothing, "{body:?}"),
                [value] if value.contains('\u{fffd}') => {
                    assert_eq!(counted, Counted::Unreadable, "{body:?}");
                }
                [value] if value.is_empty() => assert_eq!(counted, Counted::Nothing, "{body:?}"),
                [value] => assert_eq!(counted, Counted::As(value.clone()), "{body:?}"),
                _ => assert_eq!(counted, Counted::Twice, "{body:?}"),
            }
        });
}
