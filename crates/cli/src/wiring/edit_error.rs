//! Why somebody's configuration file stays as it is.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a file was not read or not changed. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// A directory, a device, a pipe.
    #[error("{path}: this is {what}, not a file; nothing was changed")]
    NotAFile {
        /// Which.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The link's target is gone.
    #[error(
        "{path}: this is a symbolic link to {target}, which does not exist; create the target or remove the link, then try again"
    )]
    Dangling {
        /// The link.
        path: PathBuf,
        /// Where it points.
        target: PathBuf,
    },
    /// More than [`super::edit_file::MAX_FILE`].
    #[error("{path}: {size} bytes is too much for a configuration file; nothing was changed")]
    TooBig {
        /// Which.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// Not text.
    #[error(
        "{path}: byte {offset} is not valid UTF-8; save the file as UTF-8, then try again (nothing was changed)"
    )]
    NotUtf8 {
        /// Which.
        path: PathBuf,
        /// The first bad byte, counted from 0.
        offset: usize,
    },
    /// Nobody may write it, so we do not either.
    #[error(
        "{path}: the file is read-only (mode {mode:04o}); make it writable (chmod u+w), then try again"
    )]
    ReadOnly {
        /// Which.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Somebody else wrote it while we worked.
    #[error("{path}: the file was changed by somebody else in this moment; try again")]
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// The replacement would belong to somebody else.
    #[error(
        "{path}: the file belongs to user {uid}, group {gid}, which cannot be kept; run this as its owner (nothing was changed)"
    )]
    Owner {
        /// Which.
        path: PathBuf,
        /// The owner.
        uid: u32,
        /// The group.
        gid: u32,
    },
    /// No space left, or over a quota.
    #[error("{path}: the disk is full; nothing was changed")]
    Full {
        /// What could not be written.
        path: PathBuf,
    },
    /// Anything else that the system refuses.
    #[error("cannot {doing} {path}: {source}; nothing was changed")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Names what was tried on what; a full disk by its name.
pub(super) fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> EditError {
    let path = path.to_owned();
    move |source| match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            EditError::Full { path }
        }
        _ => EditError::Io {
            doing,
            path,
            source,
        },
    }
}
