//! Attacks on a login, through the running gateway with `examples/login.toml`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Response;
use http_body_util::{BodyExt, Full};

use crate::support::{Program, RawClient, RawResponse, Upstream};

const EXAMPLE: &str = include_str!("../../../../examples/login.toml");
const WRONG: &str = "guess";
/// Everybody's password.
const RIGHT: &str = "right";

/// An application with one password for all.
fn application() -> Upstream {
    Upstream::answering(|seen| {
        let body = String::from_utf8_lossy(&seen.body);
        let status = if body.contains(RIGHT) { 200 } else { 401 };
        let response = Response::builder().status(status);
        response.body(Full::from("login").boxed()).unwrap()
    })
}

/// The example before that application; loopback is a proxy that tells the client's address.
fn gateway(upstream: &Upstream) -> Program {
    let listen = "listen = \"127.0.0.1:8080\"";
    assert!(EXAMPLE.contains(listen) && EXAMPLE.contains("builtin:echo"));
    let text = EXAMPLE
        .replace(listen, "listen = \"127.0.0.1:0\"")
        .replace("builtin:echo", &format!("http://{}", upstream.address()));
    Program::with_file(&format!(
        "{text}\n[identity]\ntrusted_proxies = [\"loopback\"]\n"
    ))
}

/// One try at an account from an address, with more header lines.
fn attempt(
    proxy: &mut RawClient,
    from: &str,
    email: &str,
    password: &str,
    fields: &str,
) -> RawResponse {
    let body = serde_json::json!({ "email": email, "password": password }).to_string();
    let length = body.len();
    proxy.send(format!(
        "POST /login HTTP/1.1\r\nhost: a\r\nx-forwarded-for: {from}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{fields}\r\n{body}"
    ));
    proxy.response()
}

fn status(proxy: &mut RawClient, from: &str, email: &str, password: &str) -> u16 {
    attempt(proxy, from, email, password, "").status
}

/// The cookie that a response sets, as a header line of a later request.
fn cookie(response: &RawResponse) -> String {
    let set = response.field("set-cookie").unwrap();
    let (cookie, attributes) = set.split_once("; ").unwrap();
    assert_eq!(
        attributes,
        "Max-Age=7776000; Path=/; HttpOnly; Secure; SameSite=Lax"
    );
    format!("cookie: theme=dark; {cookie}\r\n")
}

/// How often each status came.
fn tally(statuses: impl IntoIterator<Item = u16>) -> (usize, usize, usize) {
    let statuses: Vec<u16> = statuses.into_iter().collect();
    let of = |wanted| statuses.iter().filter(|status| **status == wanted).count();
    (of(200), of(401), of(429))
}

#[test]
fn a_thousand_accounts_from_one_address_are_stopped() {
    let upstream = application();
    let program = gateway(&upstream);
    let mut proxy = program.client();
    let attacker = "203.0.113.66";
    let device = attempt(&mut proxy, attacker, "ana@example.org", RIGHT, "");
    assert_eq!(device.status, 200, "before the address is used up");
    let device = cookie(&device);
    let guesses = (0..1_000).map(|user| {
        let email = format!("user-{user}@example.org");
        status(&mut proxy, attacker, &email, WRONG)
    });
    // One of the address's twenty was the login before.
    assert_eq!(tally(guesses), (0, 19, 981));
    assert_eq!(upstream.seen().len(), 20);
    // Each account is open from elsewhere; one that was guessed at, too.
    for email in [
        "ana@example.org",
        "user-0@example.org",
        "user-999@example.org",
    ] {
        assert_eq!(
            status(&mut proxy, "198.51.100.7", email, RIGHT),
            200,
            "{email}"
        );
    }
    // From the attacked address only the known device gets in, always, and into its own account.
    assert_eq!(status(&mut proxy, attacker, "ana@example.org", RIGHT), 429);
    for _ in 0..10 {
        let known = attempt(&mut proxy, attacker, "Ana@example.org", RIGHT, &device);
        assert_eq!(known.status, 200);
    }
    let other = attempt(&mut proxy, attacker, "bob@example.org", RIGHT, &device);
    assert_eq!(other.status, 429);
}

#[test]
fn one_account_from_a_thousand_addresses_is_stopped() {
    let upstream = application();
    let program = gateway(&upstream);
    let mut proxy = program.client();
    let home = "198.51.100.7";
    let device = cookie(&attempt(&mut proxy, home, "ana@example.org", RIGHT, ""));
    let guesses = (0..1_000).map(|host| {
        let from = format!("203.0.{}.{}", host / 250, host % 250);
        status(&mut proxy, &from, "ana@example.org", WRONG)
    });
    assert_eq!(tally(guesses), (0, 5, 995));
    assert_eq!(upstream.seen().len(), 6);
    // The account is closed for strangers, whatever they say.
    let denied = attempt(&mut proxy, home, "ana@example.org", RIGHT, "");
    assert_eq!(denied.status, 429);
    let wait: u64 = denied.field("retry-after").unwrap().parse().unwrap();
    // The block of 15 minutes, or the sliding window's own wait: 1,080 s less what of the window has
    // passed, which is longer in the first three minutes of a quarter of an hour.
    assert!((880..=1_080).contains(&wait), "{wait}");
    let told = denied.head.clone() + &String::from_utf8_lossy(&denied.body);
    assert!(!told.contains("login-account"), "{told}");
    // Its owner's device gets in, always, from anywhere.
    for from in [home, "203.0.0.1", "192.0.2.200"] {
        for _ in 0..4 {
            let known = attempt(&mut proxy, from, " ana@Example.org", RIGHT, &device);
            assert_eq!(known.status, 200, "{from}");
        }
    }
    // Others do, too.
    assert_eq!(status(&mut proxy, home, "bob@example.org", RIGHT), 200);
}

#[test]
fn a_cookie_that_was_made_up_or_is_somebody_elses_is_worth_nothing() {
    let upstream = application();
    let program = gateway(&upstream);
    let mut proxy = program.client();
    let own = cookie(&attempt(
        &mut proxy,
        "203.0.113.1",
        "eve@example.org",
        RIGHT,
        "",
    ));
    for host in 0..5 {
        let from = format!("203.0.113.{}", host + 10);
        assert_eq!(status(&mut proxy, &from, "ana@example.org", WRONG), 401);
    }
    let ana = attempt(&mut proxy, "203.0.113.2", "ana@example.org", RIGHT, "");
    assert_eq!(ana.status, 429);
    assert!(ana.field("set-cookie").is_none());
    let doubled = own.replace("theme=dark; ", "").replace("\r\n", "");
    let doubled = format!("{doubled}\r\n{doubled}\r\n");
    let forged = own.replace("v1.", "v1.9");
    for fields in [
        &own,
        &doubled,
        &forged,
        "cookie: __Host-device=v1.9999999999.AAAA\r\n",
    ] {
        let denied = attempt(&mut proxy, "203.0.113.3", "ana@example.org", RIGHT, fields);
        assert_eq!(denied.status, 429, "{fields}");
    }
}

#[test]
fn parallel_guesses_do_not_slip_through() {
    // Every guess is under way until all have been asked for.
    let reached = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&reached);
    let (release, released) = tokio::sync::watch::channel(false);
    let upstream = Upstream::serving(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        let mut released = released.clone();
        async move {
            let _ = released.wait_for(|released| *released).await;
            let response = Response::builder().status(401);
            response.body(Full::from("no").boxed()).unwrap()
        }
    });
    let program = gateway(&upstream);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let denied = Arc::new(AtomicUsize::new(0));
        let guesses: Vec<_> = (0..60)
            .map(|guess| {
                let mut proxy = program.client();
                let denied = Arc::clone(&denied);
                scope.spawn(move || {
                    let from = format!("203.0.113.{guess}");
                    let status = status(&mut proxy, &from, "ana@example.org", WRONG);
                    denied.fetch_add(usize::from(status == 429), Ordering::Relaxed);
                    status
                })
            })
            .collect();
        // Those that are denied are answered while the others still wait.
        for _ in 0..2_000 {
            if denied.load(Ordering::Relaxed) >= 55 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        release.send(true).unwrap();
        guesses
            .into_iter()
            .map(|guess| guess.join().unwrap())
            .collect()
    });
    assert_eq!(tally(statuses), (0, 5, 55));
    assert_eq!(reached.load(Ordering::Relaxed), 5);
}

#[test]
fn rl_26_spellings_of_an_account_share_its_bucket_through_the_gateway() {
    let upstream = application();
    let program = gateway(&upstream);
    let mut proxy = program.client();
    let spellings = [
        "v\u{ed}ctim@example.org",
        "vi\u{301}ctim@example.org",
        "V\u{cd}CTIM@Example.org",
        " vI\u{301}ctim@example.org",
        "v\u{ed}ctim@example.org\t",
        "v\u{ed}ctim@example.org",
    ];
    let statuses = spellings.map(|email| status(&mut proxy, "203.0.113.1", email, WRONG));
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429]);
    // The same in a form.
    let form = |proxy: &mut RawClient, email: &str| {
        let body = format!("password=guess&email={email}");
        let length = body.len();
        proxy.send(format!(
            "POST /login HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 203.0.113.2\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\n\r\n{body}"
        ));
        proxy.response().status
    };
    for email in ["v%C3%ADctim%40example.org", "+VI%CC%81ctim@example.org"] {
        assert_eq!(form(&mut proxy, email), 429, "{email}");
    }
    // What is no UTF-8 is nobody's account; what is there twice may be anybody's.
    assert_eq!(form(&mut proxy, "v%EDctim@example.org"), 415);
    assert_eq!(form(&mut proxy, "a@b.c&email=d@e.f"), 400);
    assert_eq!(form(&mut proxy, "other@example.org"), 401);
    assert_eq!(upstream.seen().len(), 6);
}
