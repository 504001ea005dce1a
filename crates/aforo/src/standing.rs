//! What a handler may know of its caller.

use std::sync::Arc;
use std::time::Duration;

use aforo_core::{PolicyName, Span};
use aforo_policy::{Caller, Consumer, Plan};

use crate::taking::Line;

/// How a request's caller stands, as an extension of the request for handlers.
///
/// ```
/// async fn handler(request: http::Request<()>) -> String {
///     match request.extensions().get::<aforo::Standing>() {
///         Some(standing) => format!("{:?} units left", standing.remaining()),
///         None => "not limited".to_owned(),
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Standing {
    consumer: Option<Arc<Consumer>>,
    plan: HeldPlan,
    tightest: Option<(PolicyName, u64)>,
    delay: Span,
}

/// The caller's plan.
#[derive(Clone, Debug)]
enum HeldPlan {
    /// The one that its consumer has: whoever holds the consumer holds the plan.
    OfConsumer,
    /// Another one, or none.
    Other(Option<Arc<Plan>>),
}

impl Standing {
    pub(crate) fn of(caller: &Caller, lines: &[Line], delay: Span) -> Self {
        let tightest = lines
            .iter()
            .filter(|line| line.disclosed && line.is_shown())
            .filter_map(|line| Some((line, line.outcome.as_ref()?.remaining)))
            .min_by_key(|(_, remaining)| *remaining)
            .map(|(line, remaining)| (line.name().clone(), remaining));
        Self {
            consumer: caller.consumer.clone(),
            plan: HeldPlan::of(caller),
            tightest,
            delay,
        }
    }

    /// The consumer's id, when one was verified.
    pub fn consumer(&self) -> Option<&str> {
        self.consumer.as_ref().map(|consumer| consumer.id.as_str())
    }

    /// The caller's plan.
    pub fn plan(&self) -> Option<&str> {
        let plan = match &self.plan {
            HeldPlan::OfConsumer => self.consumer.as_ref()?.plan.as_ref(),
            HeldPlan::Other(plan) => plan.as_ref(),
        };
        plan.map(|plan| plan.name.as_str())
    }

    /// The disclosed policy with the fewest units left.
    pub fn tightest_policy(&self) -> Option<&str> {
        self.tightest.as_ref().map(|(name, _)| name.as_str())
    }

    /// The units left of it.
    pub fn remaining(&self) -> Option<u64> {
        self.tightest.as_ref().map(|(_, remaining)| *remaining)
    }

    /// How long the request was held for a leaky bucket's slot.
    pub fn delay(&self) -> Option<Duration> {
        (!self.delay.is_zero()).then(|| self.delay.into())
    }
}

impl HeldPlan {
    fn of(caller: &Caller) -> Self {
        let own = caller.consumer.as_ref().and_then(|one| one.plan.as_ref());
        match (own, &caller.plan) {
            (Some(own), Some(plan)) if Arc::ptr_eq(own, plan) => Self::OfConsumer,
            (_, plan) => Self::Other(plan.clone()),
        }
    }
}
