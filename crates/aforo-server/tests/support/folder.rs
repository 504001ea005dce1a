//! A folder of a test's own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed when it is dropped.
pub(crate) struct Folder(PathBuf);

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("aforo-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file into it.
    pub(crate) fn put(&self, name: &str, text: &str) -> PathBuf {
        self.put_bytes(name, text.as_bytes())
    }

    pub(crate) fn put_bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
