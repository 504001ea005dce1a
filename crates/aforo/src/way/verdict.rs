//! What becomes of a request: an answer, or a passage.

use std::hash::{BuildHasher, RandomState};

use ::http::request::Parts;
use ::http::uri::PathAndQuery;
use ::http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use aforo_core::Span;

use super::{Entry, Ruled, Stopped};
use crate::denied::Denied;
use crate::http::Shown;
use crate::http::denial::{Asked, DecisionId, Refused, answer};
use crate::taking::{Judgement, Line};
use crate::{Admission, AnswerBody, Decided, Passage, Replayed};

/// What becomes of a request, whose parts stay where they are.
#[allow(
    clippy::large_enum_variant,
    reason = "a box would cost every request that is answered"
)]
pub(super) enum Fate {
    /// It goes on.
    Passes(Passage),
    /// It is answered.
    Answered(Response<AnswerBody>),
}

impl Fate {
    /// The same with the request, if it goes on.
    #[inline]
    pub(super) fn of<B>(self, parts: Parts, body: Replayed<B>) -> Admission<B> {
        match self {
            Self::Passes(passage) => Admission::Pass(Request::from_parts(parts, body), passage),
            Self::Answered(response) => Admission::Answer(response),
        }
    }
}

impl Entry {
    /// What becomes of a request that was judged or stopped.
    pub(super) fn end<B>(
        self: Box<Self>,
        mut parts: Parts,
        body: Replayed<B>,
        judged: Result<Judgement, Stopped>,
    ) -> Admission<B> {
        let fate = match judged {
            Ok(judgement) => self.conclude(&mut parts, judgement),
            Err(stopped) => Fate::Answered(self.answer(&parts, &stopped.as_refused())),
        };
        fate.of(parts, body)
    }

    /// What becomes of a request whose charges were put to the stores.
    #[inline]
    pub(super) fn conclude(self: Box<Self>, parts: &mut Parts, judgement: Judgement) -> Fate {
        let refused = match judgement {
            Judgement::Pass(delay) => return Fate::Passes(self.pass(parts, delay)),
            Judgement::Exceeded => Refused::Exceeded,
            Judgement::Impossible => Refused::Impossible,
            Judgement::StoreFailed => Refused::StoreFailed,
        };
        Fate::Answered(self.answer(parts, &refused))
    }

    /// What is told to whoever asked for somebody else.
    pub(super) fn ruled(
        mut self: Box<Self>,
        headers: &HeaderMap,
        judged: Result<Judgement, Stopped>,
    ) -> Ruled {
        self.forwarded = true;
        let id = DecisionId::next();
        let answer = |refused: &Refused<'_>| Some(self.answer_as(id, headers, refused));
        let denial = match &judged {
            Ok(Judgement::Pass(_)) => None,
            Ok(Judgement::Exceeded) => answer(&Refused::Exceeded),
            Ok(Judgement::Impossible) => answer(&Refused::Impossible),
            Ok(Judgement::StoreFailed) => answer(&Refused::StoreFailed),
            Err(stopped) => answer(&stopped.as_refused()),
        };
        if let Ok(Judgement::Pass(delay)) = judged {
            self.delay = delay;
            self.goes_on(delay);
        }
        Ruled {
            entry: self,
            denial,
            id,
        }
    }

    /// Tells the observer of a request that goes on.
    fn goes_on(&self, delay: Span) {
        self.door.fixed().observer.decided(if delay.is_zero() {
            Decided::Passed
        } else {
            Decided::Delayed
        });
    }

    /// The request goes on, after `delay`.
    pub(super) fn pass(mut self: Box<Self>, parts: &mut Parts, delay: Span) -> Passage {
        self.goes_on(delay);
        let gateway = self.door.setup.settings().gateway.as_ref();
        let cors = gateway.and_then(|gateway| gateway.cors.as_ref());
        let origin = cors.and_then(|_| parts.headers.get(header::ORIGIN).cloned());
        if let Some(spelled) = self.spelled.take() {
            respell(parts, spelled);
        }
        self.delay = delay;
        self.origin = origin;
        Passage::new(self)
    }

    /// The answer to a request that does not go on.
    pub(super) fn answer(&self, parts: &Parts, refused: &Refused<'_>) -> Response<AnswerBody> {
        self.answer_as(DecisionId::next(), &parts.headers, refused)
    }

    fn answer_as(
        &self,
        id: DecisionId,
        headers: &HeaderMap,
        refused: &Refused<'_>,
    ) -> Response<AnswerBody> {
        let settings = self.door.setup.settings();
        if matches!(refused, Refused::PeerUnknown) {
            tracing::error!(
                "a policy counts by the client address, but nobody said who the peer is: serve \
                 with into_make_service_with_connect_info::<SocketAddr>() in axum, or put an \
                 aforo::PeerAddress into the request's extensions"
            );
        }
        if matches!(refused, Refused::Exceeded) {
            self.door.watch_denial(&self.caller);
        }
        let plan = self.caller.plan.as_deref();
        let shown = Shown {
            policies: self.lines.iter().filter_map(Line::shown).collect(),
            plan: plan.map(|plan| plan.name.as_str()),
            upgrade_url: plan.and_then(|plan| plan.upgrade_url.as_deref()),
        };
        let asked = Asked {
            headers,
            identity: &settings.identity,
            credential: self.caller.credential,
            cors: settings
                .gateway
                .as_ref()
                .and_then(|gateway| gateway.cors.as_ref()),
            now: self.door.now,
            jitter: jitter(settings.responses.retry_jitter),
            operations: self.operations,
            id,
        };
        let response = answer(refused, &shown, &settings.responses, &asked);
        self.rendered(response, &shown)
    }

    /// The answer to a body that broke off; most likely nobody hears it.
    pub(super) fn broken_body(&self) -> Response<AnswerBody> {
        let mut response = Response::new(AnswerBody::default());
        *response.status_mut() = StatusCode::BAD_REQUEST;
        self.rendered(response, &Shown::default())
    }

    /// The answer as the application wants it; a gRPC caller understands only the standard one.
    fn rendered(&self, response: Response<AnswerBody>, shown: &Shown<'_>) -> Response<AnswerBody> {
        let fixed = self.door.fixed();
        let status = response.status().as_u16();
        fixed.observer.decided(Decided::Answered(status));
        match &fixed.render {
            Some(render) if !response.headers().contains_key("grpc-status") => render(Denied {
                response,
                policies: shown
                    .policies
                    .iter()
                    .filter(|policy| policy.violated && policy.disclosed)
                    .map(|policy| policy.name.to_owned())
                    .collect(),
                consumer: self
                    .caller
                    .consumer
                    .as_ref()
                    .map(|consumer| consumer.id.clone()),
                plan: self.caller.plan.as_ref().map(|plan| plan.name.clone()),
            }),
            _ => response,
        }
    }
}

/// Gives the request another path.
fn respell(parts: &mut Parts, spelled: PathAndQuery) {
    let mut uri = parts.uri.clone().into_parts();
    uri.path_and_query = Some(spelled);
    if let Ok(uri) = Uri::from_parts(uri) {
        parts.uri = uri;
    }
}

/// A part of `most`, so that callers who were denied together do not come back together.
fn jitter(most: Span) -> Span {
    if most.is_zero() {
        return Span::ZERO;
    }
    let drawn = RandomState::new().hash_one(most.as_micros());
    Span::from_micros(
        drawn
            .checked_rem(most.as_micros().saturating_add(1))
            .unwrap_or(0),
    )
}
