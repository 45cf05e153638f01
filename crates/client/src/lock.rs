//! The run's lock: who holds it may lease, show and acknowledge.

use std::fs::File;
use std::time::{Duration, Instant};

use room_protocol::layout::run_files;
use rustix::fs::OFlags;

use crate::dir::{Dir, DirError, failed};

/// How often a lock that is taken is tried again.
const PAUSE: Duration = Duration::from_millis(2);

/// Held until dropped. The kernel frees it when the process dies, however it dies; no child gets
/// it, since the descriptor closes on exec.
#[derive(Debug)]
#[must_use = "the lock is free again when this is dropped"]
pub struct Lock {
    _file: File,
}

pub(crate) fn wait(dir: &Dir, patience: Duration) -> Result<Option<Lock>, DirError> {
    let until = Instant::now() + patience;
    let file = dir.file(run_files::LOCK, OFlags::RDWR | OFlags::CREATE)?;
    loop {
        // Named in full: the standard library's own methods of `File` would win otherwise.
        match fs2::FileExt::try_lock_exclusive(&file) {
            Ok(()) => return Ok(Some(Lock { _file: file })),
            Err(e) if e.raw_os_error() == fs2::lock_contended_error().raw_os_error() => {}
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed("lock", dir.path().join(run_files::LOCK), e)),
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(PAUSE.min(left));
    }
}
