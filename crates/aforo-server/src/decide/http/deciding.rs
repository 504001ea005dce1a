//! Questions, asked of the limiter.

use std::net::SocketAddr;

use aforo::decide::{Asked as ByName, Ruling, Vouched};
use aforo::{AnswerBody, CheckError, KnownConsumer};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, StatusCode};
use http_body_util::BodyExt;
use smallvec::{SmallVec, smallvec};

use super::answer::{Answer, Headers, is_standing};
use super::desk::Desk;
use super::problem::Problem;
use super::wire::{Charge, Facts, Kind, Partition, Question};

/// Whether a question takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// `/v1/decide`.
    Take,
    /// `/v1/peek`.
    Look,
}

/// A decision and what the caller is to get.
pub(super) struct Decided {
    ruling: Ruling,
    headers: Headers,
    body: Option<String>,
    receipt: Option<String>,
}

impl Decided {
    /// What is told of it.
    pub(super) fn answer(&self) -> Answer<'_> {
        let body = self.body.as_deref();
        Answer::of(&self.ruling, &self.headers, body, self.receipt.as_deref())
    }

    /// The headers that tell where the caller stands; they are on the answer itself too.
    pub(super) fn standing(&self) -> impl Iterator<Item = &(HeaderName, HeaderValue)> {
        let is_denied = !self.ruling.is_allowed();
        let headers = self.headers.iter();
        headers.filter(move |(name, _)| !is_denied || is_standing(name))
    }
}

/// What is counted apart, part by part.
type Parts<'a> = SmallVec<[&'a [u8]; 1]>;

/// What a question asks for, with nothing left that could be wrong.
pub(super) struct Ready {
    kind: ReadyKind,
    wants_receipt: bool,
}

enum ReadyKind {
    Request {
        request: Box<Request<()>>,
        peer: Option<SocketAddr>,
        body: Option<String>,
    },
    Policies(Vec<Charge>),
}

impl Desk {
    /// A question that can be asked: nothing is taken before all of them can.
    pub(super) fn ready(&self, question: Question, how: How) -> Result<Ready, Problem> {
        let wants_receipt = question.wants_receipt();
        if wants_receipt && how == How::Look {
            return Err(Problem::bad("a look takes nothing: leave `receipt` out"));
        }
        let kind = match question.kind().map_err(Problem::bad)? {
            Kind::Request(facts, cost) => ready_request(*facts, cost)?,
            Kind::Policies(charges) => {
                for charge in &charges {
                    self.check_policy(&charge.policy)?;
                }
                ReadyKind::Policies(charges)
            }
        };
        Ok(Ready {
            kind,
            wants_receipt,
        })
    }

    fn check_policy(&self, name: &str) -> Result<(), Problem> {
        if self.limiter.has_policy(name) {
            return Ok(());
        }
        Err(unknown_policy(name))
    }

    /// Asks.
    pub(super) async fn decide(&self, ready: Ready, how: How) -> Result<Decided, Problem> {
        let limiter = &self.limiter;
        let mut ruling = match &ready.kind {
            ReadyKind::Policies(charges) => {
                let ruled = self.decide_policies(charges, how).await;
                ruled.map_err(|error| match error {
                    CheckError::UnknownPolicy(name) => unknown_policy(&name),
                    error => Problem::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
                })?
            }
            ReadyKind::Request {
                request,
                peer,
                body,
            } => {
                let body = body.as_deref().map(str::as_bytes);
                let request = Request::clone(request).map(|()| body);
                let ruling = match how {
                    How::Take => Box::pin(limiter.decide_request(request, *peer)).await,
                    How::Look => Box::pin(limiter.peek_request(request, *peer)).await,
                };
                let status = ruling.denial().map(http::Response::status);
                if peer.is_none() && status == Some(StatusCode::INTERNAL_SERVER_ERROR) {
                    return Err(Problem::bad(
                        "a policy counts by the client's address: expected `address` in `request`",
                    ));
                }
                ruling
            }
        };
        let receipt = match ready.wants_receipt {
            true => ruling
                .receipt()
                .and_then(|receipt| self.receipts.keep(receipt)),
            false => None,
        };
        let mut headers = Headers::with_capacity(8);
        ruling.give_fields(|name, value| headers.push((name, value)));
        let body = match ruling.denial() {
            Some(denial) => Some(text(denial.body().clone()).await),
            None => None,
        };
        Ok(Decided {
            ruling,
            headers,
            body,
            receipt,
        })
    }

    async fn decide_policies(&self, charges: &[Charge], how: How) -> Result<Ruling, CheckError> {
        let parts: SmallVec<[Parts<'_>; 1]> = charges.iter().map(parts).collect();
        let asked: SmallVec<[ByName<'_>; 1]> = charges
            .iter()
            .zip(&parts)
            .map(|(charge, parts)| ByName {
                policy: &charge.policy,
                partition: parts,
                cost: charge.cost,
            })
            .collect();
        // What has to be waited for is in boxes: hyper moves a connection's future with every request.
        match how {
            How::Take => match self.limiter.decide_now(&asked) {
                Some(ruled) => ruled,
                None => Box::pin(self.limiter.decide(&asked)).await,
            },
            How::Look => Box::pin(self.limiter.peek_all(&asked)).await,
        }
    }
}

fn ready_request(facts: Facts, cost: Option<u64>) -> Result<ReadyKind, Problem> {
    let taken = facts.taken().map_err(Problem::bad)?;
    let mut request = taken.request;
    if taken.consumer.is_some() || cost.is_some() {
        let consumer = taken.consumer.map(|said| {
            let mut known = KnownConsumer::new(said.id);
            if let Some(plan) = said.plan {
                known = known.plan(plan);
            }
            if let Some(team) = said.team {
                known = known.team(team);
            }
            known
        });
        request.extensions_mut().insert(Vouched { consumer, cost });
    }
    Ok(ReadyKind::Request {
        request: Box::new(request),
        peer: taken.peer,
        body: taken.body,
    })
}

fn unknown_policy(name: &str) -> Problem {
    let shown: String = name.chars().take(64).collect();
    Problem::bad(format!(
        "there is no policy {shown:?}; expected a name of [policies]"
    ))
}

fn parts(charge: &Charge) -> Parts<'_> {
    match &charge.partition {
        Partition::One(part) => smallvec![part.as_bytes()],
        Partition::Several(parts) => parts.iter().map(String::as_bytes).collect(),
    }
}

/// A denial's body, which is there as a whole.
pub(super) async fn bytes(body: AnswerBody) -> Bytes {
    body.collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default()
}

async fn text(body: AnswerBody) -> String {
    let bytes = bytes(body).await;
    String::from_utf8(Vec::from(bytes)).unwrap_or_default()
}
