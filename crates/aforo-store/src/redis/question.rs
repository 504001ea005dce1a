//! What the script is asked: its keys and one packed argument. `docs/redis.md` tells the bytes.

use ::redis::{Cmd, cmd};
use aforo_core::{
    Algorithm, Charge, Edges, Mode, OnDenial, PartitionHash, PrincipalKind, Quota, Timestamp,
    Window,
};

use super::numbers::{Numbers, WIDTH};
use super::script;
use crate::ReceiptLine;

/// One call of the script.
#[derive(Clone, Debug)]
pub(super) struct Question {
    keys: Vec<String>,
    request: Vec<u8>,
    /// Whether asking it twice can only count more, never less.
    pub(super) repeatable: bool,
}

/// What a question is about as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heading {
    /// Whether anything is written.
    pub(super) writing: bool,
    /// Whether the batch is denied already, by another slot.
    pub(super) denied: bool,
    /// The time, where a test gives it.
    pub(super) now: Option<Timestamp>,
}

/// What is asked of one counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Charge,
    GiveBack,
    TakeMore,
    Reset,
}

/// How long a value outlives its last use, in milliseconds: a write under way at its end must
/// still find it.
const SLACK: u32 = 1_000;
/// A given time does not pass as the server's does, so its values stay until the test is over.
const SLACK_OF_GIVEN_TIME: u32 = 600_000;

/// The counter that is asked about.
#[derive(Clone, Copy, Debug)]
struct Counter<'a> {
    namespace: &'a str,
    tag: u64,
    kind: PrincipalKind,
    principal: PartitionHash,
    partition: PartitionHash,
}

impl Question {
    pub(super) fn new(heading: Heading) -> Self {
        let slack = match heading.now {
            None => SLACK,
            Some(_) => SLACK_OF_GIVEN_TIME,
        };
        let mut question = Self {
            keys: Vec::with_capacity(1),
            request: Vec::with_capacity(128),
            repeatable: true,
        };
        let flags = [heading.writing, heading.denied, heading.now.is_some()];
        question.request.extend(flags.map(u8::from));
        question.request.extend(slack.to_le_bytes());
        question.number(heading.now.unwrap_or(Timestamp::EPOCH).as_micros());
        question
    }

    /// Asks to take a charge.
    pub(super) fn charge(&mut self, namespace: &str, charge: &Charge<'_>) {
        self.about(Ask::Charge, namespace, charge);
    }

    /// Asks to forget a charge's counter.
    pub(super) fn reset(&mut self, namespace: &str, charge: &Charge<'_>) {
        self.repeatable = false;
        self.about(Ask::Reset, namespace, charge);
        self.number(0);
        self.number(0);
        self.number(0);
    }

    /// Asks to correct a line to its true cost; says whether there is anything to correct.
    pub(super) fn correct(
        &mut self,
        namespace: &str,
        line: &ReceiptLine,
        principal: PartitionHash,
        true_cost: u64,
    ) -> bool {
        let taken = line.taken.cost;
        let (ask, units) = match taken.checked_sub(true_cost) {
            Some(0) => return false,
            Some(over) => (Ask::GiveBack, over),
            None => (Ask::TakeMore, true_cost.saturating_sub(taken)),
        };
        self.repeatable &= ask == Ask::TakeMore;
        let counter = Counter {
            namespace,
            tag: line.tag,
            kind: line.kind,
            principal,
            partition: line.partition,
        };
        // Of the window that a charge was taken in, only the end is known.
        let end = line.taken.mark;
        let edges = [0, 1, end, end.saturating_add(1)].map(Timestamp::from_micros);
        let edges = Edges::new(edges);
        self.counter(ask, counter, &line.quota, 0, units, edges.as_ref());
        self.number(line.taken.at);
        self.number(taken);
        self.number(end);
        true
    }

    fn about(&mut self, ask: Ask, namespace: &str, charge: &Charge<'_>) {
        let shadow = u8::from(charge.mode == Mode::Shadow);
        let take = u8::from(charge.on_denial == OnDenial::Take);
        let counter = Counter {
            namespace,
            tag: charge.terms.tag(),
            kind: charge.principal.kind,
            principal: charge.principal.hash,
            partition: charge.partition,
        };
        let quota = charge.terms.quota();
        let mode = shadow | take << 1;
        self.counter(
            ask,
            counter,
            quota,
            mode,
            charge.cost,
            charge.edges.as_ref(),
        );
    }

    fn counter(
        &mut self,
        ask: Ask,
        counter: Counter<'_>,
        quota: &Quota,
        mode: u8,
        cost: u64,
        edges: Option<&Edges>,
    ) {
        let numbers = Numbers::of(quota);
        let is_log = quota.algorithm() == Algorithm::SlidingLog;
        let key = self.key(counter.key());
        let log = match is_log {
            true => self.key(counter.log_key()),
            false => 0,
        };
        let edges = edges.filter(|_| matches!(quota.window(), Window::Calendar(_)));
        let kind = match (quota.window(), edges) {
            (Window::Length(_), _) => 0,
            (Window::FirstHit(_), _) => 1,
            (Window::Calendar(_), Some(_)) => 2,
            (Window::Calendar(_), None) => 3,
        };
        self.request.push(ask as u8);
        self.id(counter);
        self.request.extend(key.to_le_bytes());
        self.request.extend(log.to_le_bytes());
        let small = [mode, numbers.algorithm, numbers.unit, kind];
        self.request.extend(small);
        // What is above the capacity is impossible, however much it is.
        let cost = cost.min(numbers.capacity.saturating_add(1));
        for number in [numbers.w, numbers.q, numbers.full, numbers.capacity, cost] {
            self.number(number);
        }
        for edge in edges.iter().flat_map(|edges| edges.as_array()) {
            self.number(edge.as_micros());
        }
    }

    /// The id of a counter's record among those of its key.
    fn id(&mut self, counter: Counter<'_>) {
        let own = u8::from(counter.kind == PrincipalKind::Stranger);
        let with_partition = counter.is_apart() && counter.kind == PrincipalKind::Known;
        self.request.push(if with_partition { 25 } else { 9 });
        self.request.push(own);
        self.request.extend(counter.tag.to_le_bytes());
        if with_partition {
            self.request.extend(counter.partition.0.to_be_bytes());
        }
    }

    fn number(&mut self, number: u64) {
        let bytes = number.min((1 << 56) - 1).to_le_bytes();
        self.request.extend(bytes.iter().take(WIDTH));
    }

    /// The place of a key, counted from 1 as Lua does.
    fn key(&mut self, key: String) -> u16 {
        let place = self.keys.iter().position(|held| *held == key);
        let place = place.unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len().saturating_sub(1)
        });
        u16::try_from(place.saturating_add(1)).unwrap_or(u16::MAX)
    }

    /// The command, by the script's hash.
    pub(super) fn command(&self) -> Cmd {
        let mut command = cmd("EVALSHA");
        command.arg(script::sha()).arg(self.keys.len());
        for key in &self.keys {
            command.arg(key.as_str());
        }
        command.arg(self.request.as_slice());
        command
    }
}

impl Counter<'_> {
    fn is_apart(&self) -> bool {
        self.partition != self.principal
    }

    /// The value that its record is in. Partition keys that anybody can make up have values of
    /// their own, so that a principal's stays small.
    fn key(&self) -> String {
        let (namespace, principal) = (self.namespace, self.principal.0);
        if self.is_apart() && self.kind == PrincipalKind::Stranger {
            format!("{namespace}:{{{principal:032x}}}:{:032x}", self.partition.0)
        } else {
            format!("{namespace}:{{{principal:032x}}}")
        }
    }

    fn log_key(&self) -> String {
        let (namespace, principal) = (self.namespace, self.principal.0);
        let kind = match self.kind {
            PrincipalKind::Known => 'k',
            PrincipalKind::Stranger => 's',
        };
        let (partition, tag) = (self.partition.0, self.tag);
        format!("{namespace}:{{{principal:032x}}}:{kind}{partition:032x}:{tag:016x}")
    }
}
