//! The way to the servers: one connection for all questions of an instance, made when it is
//! needed and made anew when it fails.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use ::redis::{RedisError, Value};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio::time::Timeout;

use super::address::Address;
use super::link::{Link, Trouble};
use super::question::Question;
use crate::thread::Thread;
use crate::{OpenError, Remote, StoreError};

/// The way to the servers.
#[derive(Debug)]
pub(super) struct Line {
    shared: Arc<Shared>,
    /// Ends with the line.
    _thread: Thread,
}

#[derive(Debug)]
struct Shared {
    address: Address,
    timeout: Duration,
    fingerprint_key: String,
    fingerprint: String,
    handle: Handle,
    /// Questions that may be under way at once.
    questions: Semaphore,
    state: Mutex<State>,
    /// One load of the script at a time, and how many there were.
    loading: tokio::sync::Mutex<()>,
    loads: AtomicU64,
}

#[derive(Debug)]
enum State {
    Down,
    Connecting(watch::Receiver<Progress>),
    Up(Arc<Link>),
}

/// How an attempt to connect ended, once it has.
type Progress = Option<Result<Arc<Link>, Failure>>;

#[derive(Clone, Debug)]
enum Failure {
    Unavailable(String),
    HashKeyDiffers,
}

/// Beyond these, a question is refused at once rather than waiting with the others.
const UNDER_WAY: usize = 8_192;
/// How long an attempt to connect may take at least, however short answers must be.
const CONNECTING: Duration = Duration::from_secs(1);
/// How often a question is asked again that was not executed.
const ATTEMPTS: usize = 3;
/// How often the fingerprint is looked at while a connection lasts.
const WATCH: Duration = Duration::from_secs(60);

impl Line {
    /// Prepares the way; connects when the first question is asked.
    pub(super) fn new(address: Address, remote: &Remote) -> Result<Self, OpenError> {
        let thread = Thread::start("aforo-redis")?;
        let shared = Shared {
            address,
            timeout: remote.timeout,
            fingerprint_key: format!("{}:fingerprint", remote.namespace),
            fingerprint: format!("{:016x}", remote.fingerprint),
            handle: thread.handle().clone(),
            questions: Semaphore::new(UNDER_WAY),
            state: Mutex::new(State::Down),
            loading: tokio::sync::Mutex::new(()),
            loads: AtomicU64::new(0),
        };
        Ok(Self {
            shared: Arc::new(shared),
            _thread: thread,
        })
    }

    /// Whether each key lives on a server of its own.
    pub(super) fn is_cluster(&self) -> bool {
        self.shared.address.is_cluster()
    }

    /// Asks the servers, within the timeout.
    pub(super) async fn ask(&self, question: &Question) -> Result<Vec<u8>, StoreError> {
        self.shared.ask(question).await
    }

    /// Waits for what takes several questions, within the timeout of one.
    pub(super) async fn within_timeout<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let timed = self.shared.timed(work);
        timed.await.unwrap_or(Err(StoreError::Timeout))
    }

    /// Asks without anybody waiting, for what a batch that failed or was abandoned held.
    pub(super) fn ask_detached(&self, question: Question) {
        let shared = Arc::clone(&self.shared);
        // A failure leaves the units taken until they flow back: never too much is admitted.
        drop(self.shared.handle.spawn(async move {
            let _ = shared.ask(&question).await;
        }));
    }
}

impl Shared {
    async fn ask(self: &Arc<Self>, question: &Question) -> Result<Vec<u8>, StoreError> {
        let Ok(_place) = self.questions.try_acquire() else {
            let busy = format!("{UNDER_WAY} questions are under way already");
            return Err(StoreError::Unavailable(busy));
        };
        let mut used = None;
        let timed = self.timed(self.asked(question, &mut used));
        if let Ok(answer) = timed.await {
            return answer;
        }
        if let Some(link) = used
            && link.went_silent()
        {
            self.give_up(&link);
        }
        Err(StoreError::Timeout)
    }

    /// A wait for at most the timeout. The timer is the thread's, so that any executor can wait.
    fn timed<F: Future>(&self, work: F) -> Timeout<F> {
        let _entered = self.handle.enter();
        tokio::time::timeout(self.timeout, work)
    }

    async fn asked(
        self: &Arc<Self>,
        question: &Question,
        used: &mut Option<Arc<Link>>,
    ) -> Result<Vec<u8>, StoreError> {
        let command = question.command();
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let link = self.link().await?;
            *used = Some(Arc::clone(&link));
            let loads = self.loads.load(SeqCst);
            let error = match link.send(&command, question.repeatable).await {
                Ok(Value::BulkString(answer)) => return Ok(answer),
                Ok(_) => {
                    return Err(StoreError::Unavailable(
                        "an answer of another kind".to_owned(),
                    ));
                }
                Err(error) => error,
            };
            match Trouble::of(&error) {
                Trouble::ScriptUnknown => self.load(&link, loads).await?,
                Trouble::NotTheMaster => self.give_up(&link),
                Trouble::Broken => {
                    self.give_up(&link);
                    if !question.repeatable {
                        return Err(unavailable(&error));
                    }
                }
                Trouble::Refused => return Err(unavailable(&error)),
            }
            last = Some(unavailable(&error));
        }
        Err(last.unwrap_or(StoreError::Timeout))
    }

    /// Loads the script, unless somebody has since it was found missing.
    async fn load(&self, link: &Link, loads: u64) -> Result<(), StoreError> {
        let _one = self.loading.lock().await;
        if self.loads.load(SeqCst) == loads {
            link.load().await.map_err(|error| unavailable(&error))?;
            self.loads.fetch_add(1, SeqCst);
        }
        Ok(())
    }

    /// The connection; one attempt to make it serves all who wait for it.
    async fn link(self: &Arc<Self>) -> Result<Arc<Link>, StoreError> {
        let mut progress = match &mut *self.state() {
            State::Up(link) => return Ok(Arc::clone(link)),
            State::Connecting(progress) => progress.clone(),
            down @ State::Down => {
                let (report, progress) = watch::channel(None);
                *down = State::Connecting(progress.clone());
                self.handle.spawn(Arc::clone(self).connect(report));
                progress
            }
        };
        let done = match progress.wait_for(Option::is_some).await {
            Ok(done) => done.clone(),
            Err(_) => None,
        };
        match done {
            Some(Ok(link)) => Ok(link),
            Some(Err(Failure::HashKeyDiffers)) => Err(StoreError::HashKeyDiffers),
            Some(Err(Failure::Unavailable(problem))) => Err(StoreError::Unavailable(problem)),
            None => Err(StoreError::Unavailable(
                "connecting was given up".to_owned(),
            )),
        }
    }

    async fn connect(self: Arc<Self>, report: watch::Sender<Progress>) {
        let longest = self.timeout.max(CONNECTING);
        let made = match tokio::time::timeout(longest, self.made()).await {
            Ok(made) => made.map(Arc::new),
            Err(_) => Err(Failure::Unavailable("connecting took too long".to_owned())),
        };
        *self.state() = match &made {
            Ok(link) => State::Up(Arc::clone(link)),
            Err(_) => State::Down,
        };
        if let Ok(link) = &made {
            let watched = watch_fingerprint(Arc::downgrade(&self), Arc::downgrade(link));
            self.handle.spawn(watched);
        }
        report.send_replace(Some(made));
    }

    /// A connection to servers that know the script and count with this hash key.
    async fn made(&self) -> Result<Link, Failure> {
        let failed = |error: RedisError| Failure::Unavailable(error.to_string());
        let link = Link::establish(&self.address, self.timeout)
            .await
            .map_err(failed)?;
        if !self.is_ours(&link).await.map_err(failed)? {
            return Err(Failure::HashKeyDiffers);
        }
        link.load().await.map_err(failed)?;
        Ok(link)
    }

    async fn is_ours(&self, link: &Link) -> Result<bool, RedisError> {
        link.has_fingerprint(&self.fingerprint_key, &self.fingerprint)
            .await
    }

    /// Lets go of a connection, if it is still the current one.
    fn give_up(&self, link: &Arc<Link>) {
        let mut state = self.state();
        if let State::Up(current) = &*state
            && Arc::ptr_eq(current, link)
        {
            *state = State::Down;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks now and then whether the servers were emptied and count with another hash key since.
async fn watch_fingerprint(shared: Weak<Shared>, link: Weak<Link>) {
    loop {
        tokio::time::sleep(WATCH).await;
        let (Some(shared), Some(link)) = (shared.upgrade(), link.upgrade()) else {
            return;
        };
        if let Ok(Ok(false)) = tokio::time::timeout(CONNECTING, shared.is_ours(&link)).await {
            // The next question connects anew and finds the difference.
            shared.give_up(&link);
            return;
        }
    }
}

fn unavailable(error: &RedisError) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
