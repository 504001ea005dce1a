//! A limiter without HTTP and without a file.

use aforo::core::{Decision, Denial, Span, Timestamp};
use aforo::{CheckError, Limiter, ManualClock};

fn limiter(quota: &str) -> (Limiter, ManualClock) {
    let clock = ManualClock::at(Timestamp::from_seconds(crate::support::START));
    let limiter = Limiter::builder()
        .policy("exports", quota)
        .clock(clock.clone())
        .build()
        .unwrap();
    (limiter, clock)
}

#[tokio::test]
async fn a_policy_is_asked_by_name() {
    let (limiter, clock) = limiter("60/minute burst 2");
    let first = limiter.check("exports", "acme").await.unwrap();
    assert_eq!(first.decision, Decision::Allow);
    assert_eq!(first.outcome.unwrap().remaining, 1);
    limiter.check("exports", "acme").await.unwrap();
    let third = limiter.check("exports", "acme").await.unwrap();
    let one_second = Span::from_seconds(1);
    assert_eq!(third.decision, Decision::Deny(Denial::Later(one_second)));
    assert!(
        limiter
            .check("exports", "globex")
            .await
            .unwrap()
            .is_allowed()
    );
    clock.advance(one_second);
    assert!(limiter.check("exports", "acme").await.unwrap().is_allowed());
}

#[tokio::test]
async fn looking_takes_nothing_and_a_reset_forgets() {
    let (limiter, _) = limiter("10/hour fixed-window");
    for _ in 0..3 {
        let seen = limiter.peek("exports", "acme", 10).await.unwrap();
        assert!(seen.is_allowed());
    }
    let taken = limiter.check_cost("exports", "acme", 7).await.unwrap();
    assert_eq!(taken.outcome.unwrap().remaining, 3);
    let more = limiter.check_cost("exports", "acme", 4).await.unwrap();
    assert!(!more.is_allowed());
    limiter.reset("exports", "acme").await.unwrap();
    let again = limiter.peek("exports", "acme", 10).await.unwrap();
    assert!(again.is_allowed());
    let first = limiter.check("exports", "acme").await.unwrap();
    assert_eq!(first.outcome.unwrap().remaining, 9);
}

#[tokio::test]
async fn what_costs_more_than_there_is_is_impossible() {
    let (limiter, _) = limiter("10/hour");
    let seen = limiter.check_cost("exports", "acme", 11).await.unwrap();
    assert_eq!(seen.decision, Decision::Deny(Denial::Impossible));
    let (blocked, _) = self::limiter("0/hour");
    let seen = blocked.check("exports", "acme").await.unwrap();
    assert_eq!(seen.decision, Decision::Deny(Denial::Impossible));
    assert!(seen.outcome.is_none());
}

#[tokio::test]
async fn errors_name_the_remedy() {
    let (limiter, _) = limiter("10/hour");
    let error = limiter.check("export", "acme").await.unwrap_err();
    assert!(matches!(error, CheckError::UnknownPolicy(_)));
    assert_eq!(
        error.to_string(),
        "there is no policy named \"export\"; name it in [policies] or with LimiterBuilder::policy"
    );
    let error = Limiter::builder().policy("exports", "10/horu").build();
    let error = error.err().unwrap().to_string();
    assert!(error.contains("horu") && error.contains("hour"), "{error}");
}

#[tokio::test]
async fn the_machines_clock_serves_too() {
    let limiter = Limiter::builder()
        .policy("a", "1/hour sliding-log")
        .build()
        .unwrap();
    assert!(limiter.check("a", "x").await.unwrap().is_allowed());
    assert!(!limiter.check("a", "x").await.unwrap().is_allowed());
}
