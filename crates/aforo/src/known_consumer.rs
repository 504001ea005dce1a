//! A consumer that the application identified.

use std::sync::Arc;

use ::http::request::Parts;
use aforo_policy::{Consumer, Plan, Settings};

/// A consumer that the application identified by itself, see
/// [`LimiterBuilder::identify`](crate::LimiterBuilder::identify). Its id must come from something
/// that was verified: a session, a token whose signature holds.
///
/// ```
/// use aforo::KnownConsumer;
/// let consumer = KnownConsumer::new("acme").plan("pro").team("blue");
/// # let _ = consumer;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownConsumer {
    id: String,
    plan: Option<String>,
    team: Option<String>,
}

/// Tells who a request's consumer is.
pub(crate) type Identify = Box<dyn Fn(&Parts) -> Option<KnownConsumer> + Send + Sync>;

impl KnownConsumer {
    /// A consumer by its id.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            plan: None,
            team: None,
        }
    }

    /// Its plan, as the file names it; without one what the file says of the consumer, what a lookup
    /// or a registry does, else the file's `default_plan`.
    #[must_use]
    pub fn plan(self, name: impl Into<String>) -> Self {
        Self {
            plan: Some(name.into()),
            ..self
        }
    }

    /// Its team, as the file names it.
    #[must_use]
    pub fn team(self, name: impl Into<String>) -> Self {
        Self {
            team: Some(name.into()),
            ..self
        }
    }

    pub(crate) const fn names_plan(&self) -> bool {
        self.plan.is_some()
    }

    /// The consumer as the file knows it, or a new one. A consumer of the file keeps what the file
    /// says of it, its overrides above all, unless plan or team are named here.
    pub(crate) fn resolved(self, settings: &Settings) -> Arc<Consumer> {
        let known = settings.consumers.get(&self.id);
        if let (Some(consumer), None, None) = (known, &self.plan, &self.team) {
            return Arc::clone(consumer);
        }
        let plan = self.plan.and_then(|name| plan(settings, &name));
        let team = self.team.and_then(|name| match settings.teams.get(&name) {
            Some(team) => Some(Arc::clone(team)),
            None => {
                tracing::warn!(
                    team = name,
                    "identify() named a team that the file does not have"
                );
                None
            }
        });
        Arc::new(Consumer {
            id: self.id,
            plan: plan.or_else(|| known.and_then(|known| known.plan.clone())),
            team: team.or_else(|| known.and_then(|known| known.team.clone())),
            org: known.and_then(|known| known.org.clone()),
            contact: None,
            api_key_sha256: Vec::new(),
            overrides: known
                .map(|known| known.overrides.clone())
                .unwrap_or_default(),
        })
    }
}

fn plan(settings: &Settings, name: &str) -> Option<Arc<Plan>> {
    let plan = settings.plans.get(name).map(Arc::clone);
    if plan.is_none() {
        tracing::warn!(
            plan = name,
            "identify() named a plan that the file does not have"
        );
    }
    plan
}
