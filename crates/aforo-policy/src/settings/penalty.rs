//! What repeated denials lead to.

use aforo_core::{PolicyName, Quota, QuotaError, Span, Terms, Window};

/// What repeated denials of the same partition key lead to: each denial blocks it for a while, and
/// the next one for longer.
///
/// It is kept as counters of its own beside the policy's, for the same partition key, on the same
/// store. A block is a window that begins with the denial and holds one unit. How many blocks there
/// were of late is a token bucket: each adds one, up to their number, and one is forgotten in each
/// time of the longest.
#[derive(Clone, Debug)]
pub struct Penalty {
    blocks: Vec<Terms>,
    blocked_lately: Terms,
}

impl Penalty {
    /// The penalty of a policy, from the length of each block, rising.
    ///
    /// # Errors
    /// When a length cannot be counted.
    pub fn new(policy: &PolicyName, steps: &[Span]) -> Result<Self, QuotaError> {
        let numbered = (1_u32..).zip(steps);
        let block = |(number, length): (u32, &Span)| {
            let quota = Quota::fixed_window(1, Window::FirstHit(*length))?;
            Ok(Terms::new(
                beside(policy, &format!("block-{number}")),
                quota,
            ))
        };
        let blocks: Vec<Terms> = numbered.map(block).collect::<Result<_, QuotaError>>()?;
        let longest = steps.iter().copied().max().unwrap_or(Span::ZERO);
        let quota = Quota::token_bucket(1, longest, Some(blocks.len() as u64))?;
        Ok(Self {
            blocks,
            blocked_lately: Terms::new(beside(policy, "blocked"), quota),
        })
    }

    /// The block of each step, from the first.
    pub fn blocks(&self) -> &[Terms] {
        &self.blocks
    }

    /// How many blocks there were of late.
    pub const fn blocked_lately(&self) -> &Terms {
        &self.blocked_lately
    }

    /// The block that follows when `remaining` units of [`Penalty::blocked_lately`] are left.
    pub fn next(&self, remaining: u64) -> Option<&Terms> {
        let lately = self
            .blocked_lately
            .quota()
            .capacity()
            .saturating_sub(remaining);
        let step = usize::try_from(lately).unwrap_or(usize::MAX);
        self.blocks.get(step).or(self.blocks.last())
    }

    /// The names of its counters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.blocks.iter().chain([&self.blocked_lately]);
        all.map(|terms| terms.name().as_str())
    }
}

/// The name of a counter beside a policy's. Where it would be too long, the policy's own name: the
/// file's check refuses such a policy.
fn beside(policy: &PolicyName, what: &str) -> PolicyName {
    PolicyName::new(&format!("{policy}.{what}")).unwrap_or_else(|_| policy.clone())
}
