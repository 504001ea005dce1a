//! Policies, stores and a clock: facts in, decision out.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use ::http::Request;
use ::http::request::Parts;
use aforo_policy::file::Environment;
use aforo_policy::{Charges, Place, Planned, Settings};
use aforo_store::Batch;
use arc_swap::ArcSwap;
use bytes::Bytes;
use http_body::Body;

use crate::at_once::at_once;
use crate::fixed::Fixed;
use crate::setup::Setup;
use crate::taking::{How, Line, Lines, Put, Receipts, Taking, push_penalty};
use crate::way;
use crate::{
    Admission, BuildError, Check, CheckError, Entered, LimiterBuilder, ProcessEnvironment,
    Replayed, StoreState, StoreStatus,
};

/// Policies, stores and a clock: facts in, decision out. Clones share everything.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use aforo::Limiter;
///
/// let limiter = Limiter::builder().policy("exports", "2/hour").build()?;
/// assert!(limiter.check_now("exports", "acme")?.is_allowed());
/// assert!(limiter.check_now("exports", "acme")?.is_allowed());
/// assert!(!limiter.check_now("exports", "acme")?.is_allowed());
/// assert!(limiter.check_now("exports", "globex")?.is_allowed());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Limiter {
    pub(crate) setup: Arc<ArcSwap<Setup>>,
    pub(crate) fixed: Arc<Fixed>,
    /// Where it stands, for policies with `at`.
    pub(crate) place: Place,
}

impl Limiter {
    /// A limiter put together by hand.
    pub fn builder() -> LimiterBuilder {
        LimiterBuilder::default()
    }

    /// A limiter from an aforo file.
    ///
    /// # Errors
    /// When the file cannot be read or has errors; all of them at once.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, BuildError> {
        Self::from_settings(read(path)?)
    }

    /// A limiter from validated settings.
    ///
    /// # Errors
    /// When a store cannot be set up.
    pub fn from_settings(settings: Settings) -> Result<Self, BuildError> {
        Self::builder().settings(settings).build()
    }

    /// The same limiter at another place: one set of counters, but policies with `at` apply as they
    /// say of that place. So one process can be a gateway and a decision service.
    #[must_use]
    pub fn at(&self, place: Place) -> Self {
        Self {
            place,
            ..self.clone()
        }
    }

    /// Takes new settings. Stores of the same name keep their counters, and unchanged policies
    /// their state to the bit; after an error everything stays as it was.
    ///
    /// # Errors
    /// When a store cannot be set up.
    pub fn reload(&self, settings: Settings) -> Result<(), BuildError> {
        let before = self.setup.load_full();
        let fixed = &self.fixed;
        fixed.secret.serves(&settings, &fixed.own_stores)?;
        let setup = Setup::new(settings, Some(&before), fixed)?;
        self.setup.store(Arc::new(setup));
        Ok(())
    }

    /// Takes the settings of a file, see [`Limiter::reload`].
    ///
    /// # Errors
    /// When the file cannot be read or has errors; the settings before stay.
    pub fn reload_file(&self, path: impl AsRef<Path>) -> Result<(), BuildError> {
        self.reload(read(path)?)
    }

    /// Takes one unit of the policy `policy` for `partition` (an account, an address, anything).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let limiter = aforo::Limiter::builder().policy("mails", "1/minute").build()?;
    /// assert!(limiter.check("mails", "ana@example.org").await?.is_allowed());
    /// assert!(!limiter.check("mails", "ana@example.org").await?.is_allowed());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no such policy, or its store failed and the policy says `deny`.
    pub async fn check(
        &self,
        policy: &str,
        partition: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<Check, CheckError> {
        self.put(policy, partition.as_ref(), 1, How::Take).await
    }

    /// Takes `cost` units, see [`Limiter::check`].
    ///
    /// # Errors
    /// As [`Limiter::check`].
    pub async fn check_cost(
        &self,
        policy: &str,
        partition: &(impl AsRef<[u8]> + ?Sized),
        cost: u64,
    ) -> Result<Check, CheckError> {
        self.put(policy, partition.as_ref(), cost, How::Take).await
    }

    /// [`Limiter::check`] for code that is not async, on stores that answer at once (memory).
    ///
    /// # Errors
    /// As [`Limiter::check`], and [`CheckError::Waits`] when the store has to be waited for.
    pub fn check_now(
        &self,
        policy: &str,
        partition: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<Check, CheckError> {
        let setup = self.setup.load();
        if setup.immediate {
            let charges = self.named(&setup, policy, partition.as_ref(), 1)?;
            let mut lines: Lines = charges.planned.iter().map(Line::of).collect();
            let mut receipts = Receipts::default();
            let mut taking = Taking::new(&mut lines, &mut receipts);
            taking.put_now(self.put_of(&setup, &charges, How::Take));
            return checked(taking);
        }
        at_once(self.check(policy, partition))
            .unwrap_or_else(|| Err(CheckError::Waits(policy.to_owned())))
    }

    /// What [`Limiter::check_cost`] would answer, to the remaining units; takes nothing.
    ///
    /// # Errors
    /// As [`Limiter::check`].
    pub async fn peek(
        &self,
        policy: &str,
        partition: &(impl AsRef<[u8]> + ?Sized),
        cost: u64,
    ) -> Result<Check, CheckError> {
        self.put(policy, partition.as_ref(), cost, How::Look).await
    }

    /// What Set-Cookie says to make the asking device one that is known for an account, by the
    /// `exempt_cookie` of the policy `policy` of `[policies]`: for applications that set it
    /// themselves, after a good login. The account is given part by part, in any spelling; `None` when
    /// the policy has no such cookie.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let secret = std::env::temp_dir().join("aforo-device-cookie-example");
    /// # std::fs::write(&secret, "0123456789abcdef0123456789abcdef")?;
    /// let text = r#"
    ///     [policies.account]
    ///     quota = "5/15min"
    ///     partition_by = ["body:/email"]
    ///     normalize = ["trim", "lowercase"]
    ///     exempt_cookie = { name = "device", secret = { file = "SECRET" }, set = false }
    /// "#;
    /// # let text = text.replace("SECRET", secret.to_str().unwrap_or_default());
    /// let settings = aforo::policy::Settings::parse("a.toml", &text, &aforo::ProcessEnvironment)?;
    /// let limiter = aforo::Limiter::from_settings(settings)?;
    /// let cookie = limiter.device_cookie("account", &["Ana@example.org"]).unwrap();
    /// assert!(cookie.starts_with("device=v1."));
    /// assert!(cookie.ends_with("; Max-Age=7776000; Path=/; HttpOnly; Secure; SameSite=Lax"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn device_cookie(&self, policy: &str, account: &[impl AsRef<[u8]>]) -> Option<String> {
        let settings = self.settings();
        let cookie = settings.policies.get(policy)?.exempt_cookie.as_ref()?;
        cookie.set_cookie(account, self.fixed.clock.now())
    }

    /// Forgets what `partition` has taken of the policy, and the blocks of its `penalty`.
    ///
    /// # Errors
    /// As [`Limiter::check`].
    pub async fn reset(
        &self,
        policy: &str,
        partition: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<(), CheckError> {
        let setup = self.setup.load_full();
        let charges = self.named(&setup, policy, partition.as_ref(), 1)?;
        for planned in &charges.planned {
            let store = setup.stores.at(setup.stores.place_of(planned.policy));
            if let (Planned::Charge(charge), Some(store)) = (&planned.planned, store) {
                let mut batch = Batch::new();
                batch.push(*charge);
                push_penalty(&mut batch, charge, planned.policy);
                let observer = &*self.fixed.observer;
                store.reset(&batch, observer).await?;
            }
        }
        Ok(())
    }

    async fn put(
        &self,
        policy: &str,
        partition: &[u8],
        cost: u64,
        how: How,
    ) -> Result<Check, CheckError> {
        let setup = self.setup.load_full();
        let charges = self.named(&setup, policy, partition, cost)?;
        let mut lines: Lines = charges.planned.iter().map(Line::of).collect();
        let mut receipts = Receipts::default();
        let mut taking = Taking::new(&mut lines, &mut receipts);
        taking.put(self.put_of(&setup, &charges, how)).await;
        checked(taking)
    }

    pub(crate) fn put_of<'a>(
        &'a self,
        setup: &'a Setup,
        charges: &'a Charges<'_>,
        how: How,
    ) -> Put<'a> {
        Put {
            stores: &setup.stores,
            planned: &charges.planned,
            how,
            sums: false,
            observer: &*self.fixed.observer,
            penalises: setup.policies.penalises(),
            divides_pools: setup.policies.divides_pools(),
        }
    }

    /// The charge of a policy by name.
    fn named<'a>(
        &self,
        setup: &'a Setup,
        policy: &str,
        partition: &[u8],
        cost: u64,
    ) -> Result<Charges<'a>, CheckError> {
        let (now, key) = (self.fixed.clock.now(), &self.fixed.key);
        let mut charges = Charges::default();
        setup
            .policies
            .add_charge_by_name(&mut charges, (policy, &[partition]), cost, now, key)
            .ok_or_else(|| CheckError::UnknownPolicy(policy.to_owned()))?;
        Ok(charges)
    }

    /// The whole way of one request: edge, identity, charges, decision. `peer` is the socket's
    /// peer. Reads the body only when a policy counts by it.
    pub async fn admit<B>(&self, request: Request<B>, peer: Option<SocketAddr>) -> Admission<B>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let (mut parts, body) = request.into_parts();
        match self.enter(&mut parts, peer) {
            Entered::Passes(passage) => Admission::Pass(
                Request::from_parts(parts, Replayed::untouched(body)),
                passage,
            ),
            Entered::Answered(response) => Admission::Answer(response),
            Entered::Waits(waiting) => Box::pin(waiting.go_on(parts, body)).await,
        }
    }

    /// [`Limiter::admit`] for whoever keeps a request's head where it is: most requests are decided
    /// here, without a future and without moving one byte of them. One that has to wait goes on
    /// with [`Waiting::go_on`](crate::Waiting::go_on).
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use aforo::{Entered, Limiter};
    ///
    /// let limiter = Limiter::builder().plan("anonymous", ["60/minute"]).build()?;
    /// let (mut head, ()) = http::Request::get("/orders").body(())?.into_parts();
    /// let peer = "192.0.2.7:50000".parse()?;
    /// assert!(matches!(limiter.enter(&mut head, Some(peer)), Entered::Passes(_)));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn enter(&self, head: &mut Parts, peer: Option<SocketAddr>) -> Entered {
        way::enter(self, head, peer)
    }

    /// The settings in force.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(self.setup.load().settings())
    }

    /// How each store is, by what its answers have shown so far.
    pub fn stores(&self) -> Vec<StoreStatus> {
        self.setup.load().stores.status()
    }

    /// Whether this instance may take requests: no store was found to count with another hash key.
    /// A store that merely fails leaves it ready, since `on_store_failure` says what then happens.
    pub fn is_ready(&self) -> bool {
        let differs = |status: StoreStatus| status.state == StoreState::HashKeyDiffers;
        !self.stores().into_iter().any(differs)
    }

    /// Asks every shared store one question that takes nothing, so that a store that is down or
    /// counts with another hash key shows before the first request. The same as [`Limiter::stores`]
    /// then.
    pub async fn ask_stores(&self) -> Vec<StoreStatus> {
        let setup = self.setup.load_full();
        for store in setup.stores.iter() {
            store.knock(&self.fixed.key, &*self.fixed.observer).await;
        }
        setup.stores.status()
    }

    /// Charges that had to share an entry because a memory store was full, since the start.
    pub fn overflowed(&self) -> u64 {
        let stores = self.setup.load().stores.overflowed();
        stores.saturating_add(self.fixed.edge.overflowed())
    }

    /// Forwarding headers that came from peers that nobody trusts, since the start.
    pub fn untrusted_forwarding_headers(&self) -> u64 {
        self.fixed.untrusted.seen()
    }
}

/// What is told of one policy when its store has answered.
pub(crate) fn checked(taking: Taking<'_>) -> Result<Check, CheckError> {
    let check = Check {
        decision: taking.decision(),
        outcome: taking.lines.first().and_then(|line| line.outcome),
    };
    match taking.failure {
        Some(failure) if check.is_allowed() => Err(failure.into()),
        _ => Ok(check),
    }
}

/// The settings of a file.
pub(crate) fn read(path: impl AsRef<Path>) -> Result<Settings, BuildError> {
    let path = path.as_ref();
    let environment = ProcessEnvironment;
    let text = environment
        .read(path)
        .map_err(|source| BuildError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
    Ok(Settings::parse(
        &path.to_string_lossy(),
        &text,
        &environment,
    )?)
}
