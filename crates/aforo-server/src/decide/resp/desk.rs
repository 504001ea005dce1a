//! What all connections of a worker share.

use std::cell::RefCell;

use aforo::Limiter;

use super::super::token::Token;
use super::throttles::Throttles;

/// How much is read at once.
const READ: usize = 64 * 1024;

/// What all connections of a worker share: idle ones hold no buffer of their own.
pub(in crate::decide) struct Desk {
    pub(super) limiter: Limiter,
    pub(super) token: Option<Token>,
    pub(super) throttles: Throttles,
    /// What has just been read.
    pub(super) input: RefCell<Box<[u8]>>,
    /// What is just being answered.
    pub(super) output: RefCell<Vec<u8>>,
}

impl Desk {
    pub(in crate::decide) fn new(limiter: Limiter, token: Option<Token>) -> Self {
        Self {
            limiter,
            token,
            throttles: Throttles::default(),
            input: RefCell::new(vec![0; READ].into_boxed_slice()),
            output: RefCell::default(),
        }
    }
}
