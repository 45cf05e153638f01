//! `hooks.log`: what went wrong in hooks, which may print nothing.

use std::io::Write;

use room_protocol::Timestamp;
use room_protocol::frame::preview;
use room_protocol::layout::run_files::{LOG, LOG_OLD};
use room_protocol::limits::HOOKS_LOG_BYTES;
use rustix::fs::OFlags;

use crate::dir::{Dir, DirError, failed};

/// One line, in characters.
const LINE_CHARS: usize = 500;

/// Adds one line; moves the log aside first when the line would take it over its bound.
pub(crate) fn append(dir: &Dir, line: &str) -> Result<(), DirError> {
    let line = format!(
        "{} [{}] {}\n",
        Timestamp::now(),
        std::process::id(),
        preview(line, LINE_CHARS)
    );
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
    let fail = |e| failed("write", dir.path().join(LOG), e);
    let mut file = dir.file(LOG, flags)?;
    // Only who has the log's lock moves it: two hooks at once would move the fresh one over the old.
    if size(&file).map_err(fail)? + line.len() as u64 > HOOKS_LOG_BYTES
        && fs2::FileExt::try_lock_exclusive(&file).is_ok()
    {
        let current = dir.file(LOG, flags)?;
        if same(&file, &current).map_err(fail)? {
            dir.rename(LOG, LOG_OLD)?;
            file = dir.file(LOG, flags)?;
        } else {
            file = current;
        }
    }
    // One write: lines of several hooks do not mix.
    file.write_all(line.as_bytes()).map_err(fail)
}

fn size(file: &std::fs::File) -> std::io::Result<u64> {
    file.metadata().map(|m| m.len())
}

fn same(a: &std::fs::File, b: &std::fs::File) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (a, b) = (a.metadata()?, b.metadata()?);
    Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
}
