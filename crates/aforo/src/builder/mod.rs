//! Putting a limiter together.

pub(crate) mod device_secrets;
mod hash_key;
mod text;

pub(crate) use hash_key::Secret;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::http::Response;
use ::http::request::Parts;
use aforo_core::{HashKey, PolicyName, Quota, Span, Terms};
use aforo_policy::{Place, Settings, StoreSettings};
use aforo_store::{Clock, Store, SystemClock};
use arc_swap::ArcSwap;

use crate::denied::Render;
use crate::fixed::Fixed;
use crate::identity::{Directory, Lookup, UntrustedPeers};
use crate::known_consumer::Identify;
use crate::limiter::read;
use crate::observer::Nobody;
use crate::setup::Setup;
use crate::signals::Signals;
use crate::stores::{OwnStores, memory};
use crate::{AnswerBody, BuildError, Denied, KnownConsumer, Limiter, Observer, ProcessEnvironment};
use text::Text;

/// How many credentials of one address may fail to verify in a minute.
const FAILED_CREDENTIALS: u64 = 60;

/// Puts a limiter together: policies in code instead of a file or beside it, a clock, an own
/// identification.
///
/// ```
/// # fn main() -> Result<(), aforo::BuildError> {
/// use aforo::{KnownConsumer, Limiter};
///
/// let limiter = Limiter::builder()
///     .plan("anonymous", ["30/minute"])
///     .plan("pro", ["1000/minute burst 200"])
///     .policy("exports", "5/hour")
///     .identify(|request| {
///         // Put there by the application's own authentication, which runs before.
///         let account = request.extensions.get::<String>()?;
///         Some(KnownConsumer::new(account).plan("pro"))
///     })
///     .build()?;
/// # let _ = limiter;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use]
pub struct LimiterBuilder {
    source: Source,
    text: Text,
    place: Option<Place>,
    clock: Option<Arc<dyn Clock>>,
    key: Option<HashKey>,
    stores: OwnStores,
    identify: Option<Identify>,
    lookup: Option<Box<dyn Lookup>>,
    render: Option<Render>,
    observer: Option<Box<dyn Observer>>,
}

/// Where the settings come from.
#[derive(Default)]
enum Source {
    #[default]
    Code,
    File(PathBuf),
    Settings(Box<Settings>),
}

impl LimiterBuilder {
    /// Settings from an aforo file.
    pub fn file(self, path: impl AsRef<Path>) -> Self {
        Self {
            source: Source::File(path.as_ref().to_owned()),
            ..self
        }
    }

    /// Validated settings.
    pub fn settings(self, settings: Settings) -> Self {
        Self {
            source: Source::Settings(Box::new(settings)),
            ..self
        }
    }

    /// A policy by name and quota string, for [`Limiter::check`], and for plans and routes as
    /// `"@name"`.
    pub fn policy(mut self, name: &str, quota: &str) -> Self {
        self.text.policies.push((name.to_owned(), quota.to_owned()));
        self
    }

    /// A plan with its policies: quota strings or `"@name"`. The plan `anonymous` is that of
    /// callers whom nobody identified.
    pub fn plan<Q: Into<String>>(
        mut self,
        name: &str,
        policies: impl IntoIterator<Item = Q>,
    ) -> Self {
        let policies = policies.into_iter().map(Into::into).collect();
        self.text.plans.push((name.to_owned(), policies));
        self
    }

    /// A route, `"POST /orders"`, with policies of its own: quota strings or `"@name"`.
    pub fn route<Q: Into<String>>(
        mut self,
        matched: &str,
        policies: impl IntoIterator<Item = Q>,
    ) -> Self {
        let policies = policies.into_iter().map(Into::into).collect();
        self.text.routes.push((matched.to_owned(), policies));
        self
    }

    /// Policies per client address, charged before anything else and even when the request is
    /// denied later.
    pub fn edge<Q: Into<String>>(mut self, policies: impl IntoIterator<Item = Q>) -> Self {
        self.text.edge.extend(policies.into_iter().map(Into::into));
        self
    }

    /// Peers whose forwarding header is believed: networks, `"loopback"`, `"private"`.
    pub fn trusted_proxies<N: Into<String>>(
        mut self,
        networks: impl IntoIterator<Item = N>,
    ) -> Self {
        let networks = networks.into_iter().map(Into::into);
        self.text.trusted_proxies.extend(networks);
        self
    }

    /// Where the limiter stands, for policies with `at`; in the application unless set.
    pub fn place(self, place: Place) -> Self {
        Self {
            place: Some(place),
            ..self
        }
    }

    /// The clock, for tests a [`ManualClock`](crate::ManualClock).
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use aforo::core::{Span, Timestamp};
    /// use aforo::{Limiter, ManualClock};
    ///
    /// let clock = ManualClock::at(Timestamp::from_seconds(1_700_000_000));
    /// let limiter = Limiter::builder()
    ///     .policy("mails", "1/minute burst 1")
    ///     .clock(clock.clone())
    ///     .build()?;
    /// assert!(limiter.check_now("mails", "ana")?.is_allowed());
    /// assert!(!limiter.check_now("mails", "ana")?.is_allowed());
    /// clock.advance(Span::from_seconds(60));
    /// assert!(limiter.check_now("mails", "ana")?.is_allowed());
    /// # Ok(())
    /// # }
    /// ```
    pub fn clock(self, clock: impl Clock) -> Self {
        Self {
            clock: Some(Arc::new(clock)),
            ..self
        }
    }

    /// The secret that partition keys are hashed with. Where a store is shared, every process needs
    /// the same one; without this call it comes from the file's `hash_key_file` or from the
    /// variable `AFORO_HASH_KEY`. Where all stores are memory, it is random in each process.
    pub fn hash_key(self, key: HashKey) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// A store of one's own under a name that policies use; `default` for those that name none.
    /// It brings its own clock.
    pub fn store(mut self, name: &str, store: Arc<dyn Store>) -> Self {
        self.stores.insert(name.to_owned(), store);
        self
    }

    /// Says who a request's consumer is, for applications that know their users. Return only what
    /// was verified; `None` is an anonymous caller, charged to its address. API keys are then not
    /// read.
    pub fn identify(
        self,
        identify: impl Fn(&Parts) -> Option<KnownConsumer> + Send + Sync + 'static,
    ) -> Self {
        Self {
            identify: Some(Box::new(identify)),
            ..self
        }
    }

    /// Says whose the API keys are that the file does not have; its answers are remembered, see
    /// [`identity::lookup`](crate::identity::lookup). With it, the `url` of the file's `lookup` is
    /// not asked, and its other settings hold for this one. Not asked together with
    /// [`LimiterBuilder::identify`].
    pub fn lookup(self, lookup: impl Lookup + 'static) -> Self {
        Self {
            lookup: Some(Box::new(lookup)),
            ..self
        }
    }

    /// Renders denials as the application wants them. gRPC callers get the standard answer.
    ///
    /// ```
    /// # fn main() -> Result<(), aforo::BuildError> {
    /// let limiter = aforo::Limiter::builder()
    ///     .plan("anonymous", ["30/minute"])
    ///     .on_denied(|denied| {
    ///         let mut response = denied.into_response();
    ///         *response.body_mut() = "slow down".into();
    ///         response
    ///     })
    ///     .build()?;
    /// # let _ = limiter;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_denied(
        self,
        render: impl Fn(Denied) -> Response<AnswerBody> + Send + Sync + 'static,
    ) -> Self {
        Self {
            render: Some(Box::new(render)),
            ..self
        }
    }

    /// Is told what the limiter does, for metrics.
    pub fn observer(self, observer: impl Observer + 'static) -> Self {
        Self {
            observer: Some(Box::new(observer)),
            ..self
        }
    }

    /// Builds it.
    ///
    /// # Errors
    /// When the file cannot be read, a name or a quota is wrong, or a store cannot be set up.
    pub fn build(self) -> Result<Limiter, BuildError> {
        let settings = settings(self.source, &self.text)?;
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        let secret = Secret::find(self.key, &settings, &self.stores, &ProcessEnvironment)?;
        let observer = self.observer.unwrap_or_else(|| Box::new(Nobody));
        let fixed = Arc::new(Fixed {
            own_stores: self.stores,
            edge: memory(&StoreSettings::default(), &clock),
            clock: Arc::clone(&clock),
            key: secret.key,
            secret,
            identify: self.identify,
            render: self.render,
            signals: observer.wants_signals().then(|| Box::new(Signals::new())),
            observer,
            untrusted: UntrustedPeers::default(),
            failed_credentials: failed_credentials().map(Arc::new),
        });
        let mut setup = Setup::new(settings, None, &fixed)?;
        if let Some(lookup) = self.lookup {
            let lookups = &setup.settings().identity.lookups;
            let directory = Directory::new(lookup, lookups, clock);
            setup.sources.directory = Some(Arc::new(directory));
        }
        Ok(Limiter {
            setup: Arc::new(ArcSwap::from_pointee(setup)),
            fixed,
            place: self.place.unwrap_or(Place::App),
        })
    }
}

/// The settings of the source, with what was said in code.
fn settings(source: Source, text: &Text) -> Result<Settings, BuildError> {
    let written = || {
        Settings::parse("LimiterBuilder", &text.written(), &ProcessEnvironment)
            .map_err(BuildError::from)
    };
    let mut settings = match source {
        Source::Code => return written(),
        Source::File(path) => read(path)?,
        Source::Settings(settings) => *settings,
    };
    if text.is_empty() {
        return Ok(settings);
    }
    let mut said = written()?;
    if !text.plans.iter().any(|(name, _)| name == "anonymous") {
        said.plans.remove("anonymous");
    }
    join(&mut settings.policies, said.policies, "policy")?;
    join(&mut settings.plans, said.plans, "plan")?;
    settings.routes.extend(said.routes);
    settings.edge.extend(said.edge);
    if !text.trusted_proxies.is_empty() {
        settings.identity.trust = said.identity.trust;
    }
    Ok(settings)
}

fn join<T>(
    all: &mut BTreeMap<String, T>,
    said: BTreeMap<String, T>,
    what: &'static str,
) -> Result<(), BuildError> {
    for (name, value) in said {
        match all.entry(name) {
            Entry::Vacant(place) => {
                place.insert(value);
            }
            Entry::Occupied(place) => {
                let name = place.key().clone();
                return Err(BuildError::Duplicate { what, name });
            }
        }
    }
    Ok(())
}

fn failed_credentials() -> Option<Terms> {
    let name = PolicyName::new("failed-credentials").ok()?;
    let quota = Quota::sliding_window(FAILED_CREDENTIALS, Span::from_seconds(60)).ok()?;
    Some(Terms::new(name, quota))
}
