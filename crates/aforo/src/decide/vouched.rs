//! What whoever asks knows of a request beside its facts.

use crate::KnownConsumer;

/// What whoever asks for a decision vouches for, beside the request's facts: it is put among the
/// request's extensions, which nothing that a client sends gets into.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use aforo::KnownConsumer;
/// use aforo::decide::Vouched;
///
/// let limiter = aforo::Limiter::builder()
///     .plan("anonymous", ["1/minute"])
///     .plan("pro", ["10/minute"])
///     .build()?;
/// let acme = Vouched {
///     consumer: Some(KnownConsumer::new("acme").plan("pro")),
///     cost: Some(4),
/// };
/// let request = http::Request::get("/orders").extension(acme).body(None)?;
/// let ruling = limiter.decide_request(request, Some("192.0.2.7:0".parse()?)).await;
/// let told = ruling.told().next().and_then(|told| told.outcome);
/// assert_eq!(told.map(|outcome| outcome.remaining), Some(6));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vouched {
    /// The consumer, verified by whoever asks; credentials among the headers are then not looked at.
    pub consumer: Option<KnownConsumer>,
    /// What the request costs, whatever its route says. Policies with a cost of their own keep it.
    pub cost: Option<u64>,
}
