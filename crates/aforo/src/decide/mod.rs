//! Decisions for whoever asks without being the request: another gateway, another program.
//!
//! A [`Ruling`] is a decision with everything that may be told of it. It comes from a request's
//! facts ([`Limiter::decide_request`](crate::Limiter::decide_request)) or from policies by name
//! ([`Limiter::decide`](crate::Limiter::decide)), one or several, all or nothing:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use aforo::Limiter;
//! use aforo::decide::Asked;
//!
//! let limiter = Limiter::builder()
//!     .policy("mails", "3/hour")
//!     .policy("attachments", "1/hour")
//!     .build()?;
//! let ask = |policy| Asked { policy, partition: &[b"ana"], cost: 1 };
//! let mut ruling = limiter.decide(&[ask("mails"), ask("attachments")]).await?;
//! assert!(ruling.is_allowed());
//!
//! // No attachment is left, so no mail is taken either.
//! let denied = limiter.decide(&[ask("mails"), ask("attachments")]).await?;
//! assert!(!denied.is_allowed());
//! let left = |ruling: &aforo::decide::Ruling, policy: &str| {
//!     let told = ruling.told().find(|told| told.policy == policy);
//!     told.and_then(|told| told.outcome).map(|outcome| outcome.remaining)
//! };
//! assert_eq!(left(&denied, "mails"), Some(2));
//!
//! // It came to nothing: what the first one took is given back.
//! if let Some(receipt) = ruling.receipt() {
//!     receipt.refund().await;
//! }
//! let look = Asked { cost: 0, ..ask("mails") };
//! assert_eq!(left(&limiter.peek_all(&[look]).await?, "mails"), Some(3));
//! # Ok(())
//! # }
//! ```

mod asking;
mod descriptors;
mod receipt;
mod ruling;
mod throttle;
mod vouched;

pub use asking::Asked;
pub use descriptors::{BroughtQuota, Descriptor, DescriptorsRuling};
pub use receipt::Receipt;
pub use ruling::{Ruling, Told};
pub use throttle::{Throttle, ThrottleError};
pub use vouched::Vouched;
