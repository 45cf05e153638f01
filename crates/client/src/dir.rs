//! A directory held by its descriptor, into which somebody hostile may write.
//!
//! Nothing here follows a link, waits for the other end of a pipe, or reads more than it was told.
//! Only regular files are read; what is written replaces what was there instead of writing into it,
//! but for [`Dir::overwrite`], which looks that the file has no other name.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, unlinkat,
};
use rustix::io::Errno;

/// A file or directory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum DirError {
    /// The system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is there, and is not what it should be.
    #[error("{} is refused: {what}", path.display())]
    Refused {
        /// Which.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// What it holds does not fit.
    #[error("{} cannot be understood: {source}", path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
}

impl DirError {
    /// Nothing has that name.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// A directory, by its descriptor.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Directory entries that a listing looks at, hidden ones included.
const SCANNED: usize = 16_384;
/// Not blocking, since opening a pipe would wait for its other end.
const REGULAR: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);

impl Dir {
    /// Opens a directory; a link in its place is refused.
    pub fn open(path: &Path) -> Result<Self, DirError> {
        Self::open_at(CWD, path, path.to_owned())
    }

    fn open_at(at: BorrowedFd<'_>, name: &Path, path: PathBuf) -> Result<Self, DirError> {
        match openat(at, name, DIRECTORY, Mode::empty()) {
            Ok(fd) => Ok(Self { fd, path }),
            // With O_DIRECTORY a link is "not a directory" on Linux, "too many links" elsewhere.
            Err(Errno::NOTDIR | Errno::LOOP) => Err(DirError::Refused {
                path,
                what: "it is a link, or no directory",
            }),
            Err(e) => Err(failed("open", path, e)),
        }
    }

    /// Where it was opened. For messages; what is done goes through the descriptor.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A directory in it, `None` when there is none.
    pub fn sub(&self, name: &str) -> Result<Option<Self>, DirError> {
        let path = self.named(name)?;
        match Self::open_at(self.fd.as_fd(), Path::new(name), path) {
            Err(e) if e.is_missing() => Ok(None),
            other => other.map(Some),
        }
    }

    /// A directory in it, made (0700) when there is none.
    pub fn sub_or_make(&self, name: &str) -> Result<Self, DirError> {
        let path = self.named(name)?;
        match mkdirat(&self.fd, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => Self::open_at(self.fd.as_fd(), Path::new(name), path),
            Err(e) => Err(failed("make", path, e)),
        }
    }

    /// Opens a regular file, whatever else may have taken its name.
    pub(crate) fn file(&self, name: &str, flags: OFlags) -> Result<File, DirError> {
        let path = self.named(name)?;
        let fd = match openat(&self.fd, name, REGULAR | flags, Mode::RUSR | Mode::WUSR) {
            Ok(fd) => fd,
            Err(Errno::LOOP) => {
                return Err(DirError::Refused {
                    path,
                    what: "it is a link",
                });
            }
            // A pipe without a reader, a socket.
            Err(Errno::NXIO | Errno::ISDIR) => return Err(irregular(path)),
            Err(e) => return Err(failed("open", path, e)),
        };
        let stat = fstat(&fd).map_err(|e| failed("look at", path.clone(), e))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(irregular(path));
        }
        Ok(File::from(fd))
    }

    /// A regular file's contents, `None` when there is none; refused when it has more than `limit`
    /// bytes.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, DirError> {
        let file = match self.file(name, OFlags::RDONLY) {
            Ok(file) => file,
            Err(e) if e.is_missing() => return Ok(None),
            Err(e) => return Err(e),
        };
        // Most files fit: one read, and one that finds the end.
        let mut bytes = Vec::with_capacity(1024);
        // Not trusting its size: it may grow while it is read.
        (&file)
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|e| failed("read", self.path.join(name), e))?;
        if bytes.len() as u64 > limit {
            return Err(DirError::Refused {
                path: self.path.join(name),
                what: "it is larger than anything that we write",
            });
        }
        Ok(Some(bytes))
    }

    /// Makes a file (0600) with these contents in place of whatever has its name. Not atomic: see
    /// [`Self::write`].
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<(), DirError> {
        self.make(name, bytes).map(drop)
    }

    fn make(&self, name: &str, bytes: &[u8]) -> Result<File, DirError> {
        self.remove(name)?;
        let mut file = self.file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        if let Err(e) = file.write_all(bytes) {
            // A full disk must leave nothing half-written.
            let _ = self.remove(name);
            return Err(failed("write", self.path.join(name), e));
        }
        Ok(file)
    }

    /// Writes a file (0600) so that its name has the old contents or the new, never a part.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), DirError> {
        self.replace(name, bytes, false)
    }

    /// The same, and on disk when it returns.
    pub fn write_synced(&self, name: &str, bytes: &[u8]) -> Result<(), DirError> {
        self.replace(name, bytes, true)
    }

    /// Writes a small text over what is there, in one write, blanks up to `width` bytes behind it. For
    /// a file that is written often and may be lost: a rename over an old file costs more than all
    /// else that a hook does (ext4 then starts writing the data out). A machine that crashes in it
    /// may leave a mixture; the death of the process does not. What is no plain file of ours alone
    /// is replaced.
    pub fn overwrite(&self, name: &str, bytes: &[u8], width: usize) -> Result<(), DirError> {
        let mut padded = bytes.to_vec();
        padded.resize(width.max(bytes.len()), b' ');
        let file = match self.file(name, OFlags::WRONLY | OFlags::CREATE) {
            Ok(file) => file,
            Err(DirError::Refused { .. }) => return self.write(name, &padded),
            Err(e) => return Err(e),
        };
        let fail = |e: Errno| failed("write", self.path.join(name), e);
        let stat = fstat(&file).map_err(fail)?;
        // Another name of the same file may be anybody's.
        if stat.st_nlink != 1 {
            return self.write(name, &padded);
        }
        let written = rustix::io::pwrite(&file, &padded, 0).map_err(fail)?;
        if written < padded.len() {
            return Err(fail(Errno::NOSPC));
        }
        if u64::try_from(stat.st_size).unwrap_or(0) > padded.len() as u64 {
            rustix::fs::ftruncate(&file, padded.len() as u64).map_err(fail)?;
        }
        Ok(())
    }

    fn replace(&self, name: &str, bytes: &[u8], sync: bool) -> Result<(), DirError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = format!(".{name}.{}.{count}", std::process::id());
        let file = self.make(&temporary, bytes)?;
        let synced = if sync { file.sync_all() } else { Ok(()) };
        let done = synced
            .map_err(|e| failed("write", self.path.join(name), e))
            .and_then(|()| self.rename(&temporary, name));
        if done.is_err() {
            let _ = self.remove(&temporary);
        } else if sync {
            // The name is on disk with its directory.
            rustix::fs::fsync(&self.fd).map_err(|e| failed("write", self.path.clone(), e))?;
        }
        done
    }

    /// Renames a file inside the directory; what had the new name is gone.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), DirError> {
        self.move_to(from, self, to)
    }

    /// Moves a file into another directory of the same file system.
    pub fn move_to(&self, from: &str, other: &Self, to: &str) -> Result<(), DirError> {
        let path = self.named(from)?;
        other.named(to)?;
        renameat(&self.fd, from, &other.fd, to).map_err(|e| failed("rename", path, e))
    }

    /// Removes a file; whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, DirError> {
        let path = self.named(name)?;
        match unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(e) => Err(failed("remove", path, e)),
        }
    }

    /// The names in it, without those that begin with a dot, in order; at most `limit`, whatever
    /// the directory holds.
    pub fn names(&self, limit: usize) -> Result<Vec<String>, DirError> {
        let fail = |e: Errno| failed("list", self.path.clone(), e);
        let mut names = Vec::new();
        let entries = rustix::fs::Dir::read_from(&self.fd).map_err(fail)?;
        for entry in entries.take(SCANNED) {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().to_str().ok();
            if let Some(name) = name.filter(|n| !n.starts_with('.')) {
                names.push(name.to_owned());
            }
            // Sorted only after this, so a directory that somebody stuffed loses the order, and
            // nothing else.
            if names.len() >= limit {
                break;
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The path of a name, which must be one: nothing that leads elsewhere.
    fn named(&self, name: &str) -> Result<PathBuf, DirError> {
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
            return Err(DirError::Refused {
                path: self.path.join(name.replace('/', "_")),
                what: "that is no file's name",
            });
        }
        Ok(self.path.join(name))
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn irregular(path: PathBuf) -> DirError {
    DirError::Refused {
        path,
        what: "it is no regular file",
    }
}

pub(crate) fn failed(doing: &'static str, path: PathBuf, source: impl Into<io::Error>) -> DirError {
    DirError::Io {
        doing,
        path,
        source: source.into(),
    }
}
