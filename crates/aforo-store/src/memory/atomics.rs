//! The atomics of the table: the machine's, or loom's when interleavings are checked.

#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Zeroed words. A large allocation is mapped only where it is written.
pub(super) fn zeroed(words: usize) -> Box<[AtomicU64]> {
    #[cfg(not(loom))]
    {
        bytemuck::zeroed_slice_box(words)
    }
    #[cfg(loom)]
    {
        (0..words).map(|_| AtomicU64::new(0)).collect()
    }
}

/// Lets another thread go on while this one waits for a lock.
pub(super) fn relax(tries: u32) {
    #[cfg(not(loom))]
    if tries % 64 == 63 {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
    #[cfg(loom)]
    {
        let _ = tries;
        loom::thread::yield_now();
    }
}
