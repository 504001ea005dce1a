//! What becomes of a request before a limited service.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::http::request::Parts;
use ::http::{Request, Response, response};
use bytes::Bytes;
use http_body::Body;
use pin_project_lite::pin_project;
use tokio::time::Sleep;
use tower_service::Service;

use super::LimitedBody;
use crate::at_once::at_once;
use crate::{Admission, Passage, Replayed, Waiting};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pin_project! {
    /// The response of a limited service. Dropped while the request is held for a leaky bucket's
    /// slot, it gives the slot back.
    pub struct LimitedFuture<S, B, R>
    where
        S: Service<Request<Replayed<B>>>,
    {
        service: S,
        #[pin]
        step: Step<S::Future, B, R>,
    }
}

pin_project! {
    #[project = StepProjected]
    #[project_replace = StepTaken]
    enum Step<F, B, R> {
        // Its body is read, or a store is asked.
        Waiting { admission: Boxed<Admission<B>> },
        // It is held for its slot.
        Held { sleep: Pin<Box<Sleep>>, request: Request<Replayed<B>>, passage: Passage },
        // The inner service has it.
        Running { #[pin] future: F, passage: Option<Passage> },
        // A store is told what the response made of the charges.
        Settling { parts: Boxed<response::Parts>, body: Option<R> },
        // It is answered.
        Answered { answer: Response<LimitedBody<R>> },
        Gone,
    }
}

impl<S, B, R> LimitedFuture<S, B, R>
where
    S: Service<Request<Replayed<B>>>,
{
    pub(super) fn admitted(mut service: S, admission: Admission<B>) -> Self {
        let step = begin(&mut service, admission);
        Self { service, step }
    }

    pub(super) fn waiting(service: S, waiting: Waiting, head: Parts, body: B) -> Self
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
    {
        let admission = Box::pin(waiting.go_on(head, body));
        let step = Step::Waiting { admission };
        Self { service, step }
    }
}

/// The first step of a request that was decided.
fn begin<S, B, R>(service: &mut S, admission: Admission<B>) -> Step<S::Future, B, R>
where
    S: Service<Request<Replayed<B>>>,
{
    match admission {
        Admission::Answer(answer) => Step::Answered {
            answer: answer.map(LimitedBody::answer),
        },
        Admission::Pass(request, passage) => match passage.delay() {
            Some(delay) => Step::Held {
                sleep: Box::pin(tokio::time::sleep(delay)),
                request,
                passage,
            },
            None => forward(service, request, passage),
        },
    }
}

fn forward<S, B, R>(
    service: &mut S,
    mut request: Request<Replayed<B>>,
    mut passage: Passage,
) -> Step<S::Future, B, R>
where
    S: Service<Request<Replayed<B>>>,
{
    request.extensions_mut().insert(passage.standing());
    passage.forwarded();
    Step::Running {
        future: service.call(request),
        passage: Some(passage),
    }
}

/// Settles the charges and writes the fields, at once where no store has to be waited for.
fn settle<F, B, R>(response: Response<R>, passage: Option<Passage>) -> Step<F, B, R> {
    let (mut parts, body) = response.into_parts();
    match passage {
        Some(passage) if !passage.finishes_at_once() => Step::Settling {
            parts: Box::pin(async move {
                passage.finish(&mut parts).await;
                parts
            }),
            body: Some(body),
        },
        passage => {
            if let Some(passage) = passage {
                at_once(passage.finish(&mut parts));
            }
            answered(parts, body)
        }
    }
}

fn answered<F, B, R>(parts: response::Parts, body: R) -> Step<F, B, R> {
    Step::Answered {
        answer: Response::from_parts(parts, LimitedBody::inner(body)),
    }
}

impl<S, B, R> Future for LimitedFuture<S, B, R>
where
    S: Service<Request<Replayed<B>>, Response = Response<R>>,
{
    type Output = Result<Response<LimitedBody<R>>, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.step.as_mut().project() {
                StepProjected::Waiting { admission } => {
                    begin(this.service, ready!(admission.as_mut().poll(cx)))
                }
                StepProjected::Running { future, passage } => match ready!(future.poll(cx)) {
                    Ok(response) => settle(response, passage.take()),
                    Err(error) => return Poll::Ready(Err(error)),
                },
                StepProjected::Settling { parts, body } => {
                    let parts = ready!(parts.as_mut().poll(cx));
                    body.take().map_or(Step::Gone, |body| answered(parts, body))
                }
                StepProjected::Held { sleep, .. } => {
                    ready!(sleep.as_mut().poll(cx));
                    match this.step.as_mut().project_replace(Step::Gone) {
                        StepTaken::Held {
                            request, passage, ..
                        } => forward(this.service, request, passage),
                        _ => Step::Gone,
                    }
                }
                StepProjected::Answered { .. } => {
                    match this.step.as_mut().project_replace(Step::Gone) {
                        StepTaken::Answered { answer } => return Poll::Ready(Ok(answer)),
                        _ => Step::Gone,
                    }
                }
                StepProjected::Gone => return Poll::Pending,
            };
            this.step.set(next);
        }
    }
}
