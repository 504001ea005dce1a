//! A whole decision, hot, as a multiple of governor's single hot check.
//!
//! Facts, identity by API key, two plan policies and one route policy, decision, all fields on
//! the response. Requests and responses are built before the clock runs and dropped after it, and
//! stay where they are meanwhile, as in the gateway: whoever forwards a request keeps it.
//!
//! `decision` prints a table row; `decision --alone` is one round without the peer, for profilers.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]

use std::hint::black_box;
use std::net::SocketAddr;
use std::time::Duration;

use aforo::Limiter;
use aforo_benches::admitted;
use aforo_benches::governed::Governed;
use aforo_benches::keys::{self, HOT};
use aforo_benches::row::{Row, Target};
use aforo_benches::series::alternate;
use aforo_benches::{Failure, cpu};
use http::HeaderMap;

/// The program's allocator, for both sides.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// How many rounds each side has.
const ROUNDS: usize = 9;

/// How many requests are built at once.
const REQUESTS: usize = 64;

/// How many times so many are decided in a round.
const TURNS: usize = 512;

fn main() -> Result<(), Failure> {
    let limiter = limiter()?;
    if std::env::args().any(|argument| argument == "--alone") {
        println!("{:.1} ns", decisions(&limiter)?);
        return Ok(());
    }
    let text = |place| String::from_utf8_lossy(&keys::array(place)).into_owned();
    let governed = Governed::new((0..HOT).map(text).collect())?;
    let order = keys::places(HOT, REQUESTS.saturating_mul(TURNS), 1);
    let [ours, theirs] = alternate(
        ROUNDS,
        [&mut || decisions(&limiter), &mut || {
            checks(&governed, &order)
        }],
    )?;
    let what = "decision: three policies and all fields, over governor's one hot check";
    println!(
        "{}",
        Row::share(what, &ours, &theirs, "ns", Target::AtMost(25.0))
    );
    Ok(())
}

/// So many units that nothing is denied, and so that no entry is neutral.
fn limiter() -> Result<Limiter, Failure> {
    let text = format!(
        r#"[identity]
api_key = {{ header = "{field}" }}
[plans.anonymous]
policies = ["1/minute"]
[plans.pro]
policies = ["1000000/minute burst 1000000", "100000000/day burst 100000000"]
[[routes]]
match = "GET /v1/orders/{{id}}"
policies = ["10000000/hour burst 10000000"]
{consumers}"#,
        field = admitted::FIELD,
        consumers = admitted::consumers(HOT)?,
    );
    admitted::limiter("bench-decision.toml", &text)
}

/// Nanoseconds for a decision.
fn decisions(limiter: &Limiter) -> Result<f64, Failure> {
    let peer = SocketAddr::from(([192, 0, 2, 1], 4711));
    let mut spent = Duration::ZERO;
    for _ in 0..TURNS {
        let asked = (0..REQUESTS).map(|place| {
            let consumer = place.checked_rem(HOT);
            Ok((admitted::request(consumer)?, admitted::response()?))
        });
        let mut asked = asked.collect::<Result<Vec<_>, Failure>>()?;
        let mut passed: Result<bool, Failure> = Ok(true);
        let took = cpu::spent(|| {
            passed = asked.iter_mut().try_fold(true, |all, (asked, answer)| {
                Ok(all & admitted::admit(limiter, asked, peer, answer)?)
            });
        });
        spent = spent.saturating_add(took);
        let answers = asked.iter().map(|(_, answer)| &answer.headers);
        check(passed?, answers)?;
    }
    Ok(spent.as_nanos() as f64 / REQUESTS.saturating_mul(TURNS) as f64)
}

/// Every request passed, and its response shows all three policies.
fn check<'a>(passed: bool, answers: impl Iterator<Item = &'a HeaderMap>) -> Result<(), Failure> {
    if !passed {
        return Err("a request was denied: the quota is too small".into());
    }
    for fields in answers {
        let shown = fields.get("ratelimit").map_or(0, |field| {
            field.as_bytes().split(|byte| *byte == b',').count()
        });
        if shown != 3 || !fields.contains_key("x-ratelimit-remaining") {
            return Err(format!("fields are missing: {fields:?}").into());
        }
    }
    Ok(())
}

/// Nanoseconds for a check.
fn checks(governed: &Governed<String>, order: &[u32]) -> Result<f64, Failure> {
    let mut passed = 0;
    let spent = cpu::spent(|| {
        passed = order
            .iter()
            .filter(|place| black_box(governed.charge(**place)))
            .count();
    });
    match passed == order.len() {
        true => Ok(spent.as_nanos() as f64 / order.len() as f64),
        false => Err("governor denied: the quota is too small".into()),
    }
}
