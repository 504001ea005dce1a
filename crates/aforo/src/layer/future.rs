//! What becomes of a request before a limited service.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::http::{Request, Response, response};
use bytes::Bytes;
use http_body::Body;
use pin_project_lite::pin_project;
use tokio::time::Sleep;
use tower_service::Service;

use super::LimitedBody;
use crate::at_once::at_once;
use crate::way::Waiting;
use crate::{Admission, AnswerBody, Passage, Replayed};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pin_project! {
    /// The response of a limited service. Dropped while the request is held for a leaky bucket's
    /// slot, it gives the slot back.
    pub struct LimitedFuture<S, B>
    where
        S: Service<Request<Replayed<B>>>,
    {
        service: S,
        #[pin]
        step: Step<S::Future, B>,
    }
}

pin_project! {
    #[project = StepProjected]
    #[project_replace = StepTaken]
    enum Step<F, B> {
        // Its body is read, or a store is asked.
        Waiting { admission: Boxed<Admission<B>> },
        // It is held for its slot.
        Held { sleep: Pin<Box<Sleep>>, request: Request<Replayed<B>>, passage: Passage },
        // The inner service has it.
        Running { #[pin] future: F, passage: Option<Passage> },
        // Its charges are settled.
        Settling { parts: Boxed<response::Parts> },
        // It is answered.
        Answered { answer: Response<AnswerBody> },
        Gone,
    }
}

impl<S, B> LimitedFuture<S, B>
where
    S: Service<Request<Replayed<B>>>,
{
    pub(super) fn admitted(mut service: S, admission: Admission<B>) -> Self {
        let step = begin(&mut service, admission);
        Self { service, step }
    }

    pub(super) fn waiting(service: S, waiting: Waiting<B>) -> Self
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
    {
        let admission = Box::pin(waiting.go_on());
        let step = Step::Waiting { admission };
        Self { service, step }
    }
}

/// The first step of a request that was decided.
fn begin<S, B>(service: &mut S, admission: Admission<B>) -> Step<S::Future, B>
where
    S: Service<Request<Replayed<B>>>,
{
    match admission {
        Admission::Answer(answer) => Step::Answered { answer },
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

fn forward<S, B>(
    service: &mut S,
    request: Request<Replayed<B>>,
    mut passage: Passage,
) -> Step<S::Future, B>
where
    S: Service<Request<Replayed<B>>>,
{
    passage.forwarded();
    Step::Running {
        future: service.call(request),
        passage: Some(passage),
    }
}

impl<S, B, R> Future for LimitedFuture<S, B>
where
    S: Service<Request<Replayed<B>>, Response = Response<R>>,
    R: Body<Data = Bytes>,
{
    type Output = Result<Response<LimitedBody<R>>, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        todo!()
    }
}
