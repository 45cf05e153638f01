//! A run's directory, `$ROOM_HOME/runs/<RUN_ID>`.

use std::path::Path;
use std::time::Duration;

use room_protocol::layout::run_files;
use room_protocol::limits::RUN_FILE_BYTES;
use room_protocol::runfile::RunFile;
use serde::de::DeserializeOwned;

use crate::dir::{Dir, DirError};
use crate::{lock, log};

/// A run's directory. An agent in a container may write to it, so it is held by its descriptor and
/// read with care; see [`crate::dir`].
#[derive(Debug)]
pub struct RunDir {
    dir: Dir,
    logs: bool,
}

impl RunDir {
    /// Opens it. [`DirError::is_missing`] when no such run was ever opened here.
    pub fn open(path: &Path) -> Result<Self, DirError> {
        Dir::open(path).map(|dir| Self { dir, logs: true })
    }

    /// The same, with a log that nothing is written to: for somebody who looks and changes nothing.
    #[must_use]
    pub fn unlogged(self) -> Self {
        Self {
            logs: false,
            ..self
        }
    }

    /// Where it is. For messages and children; what is done here goes through the descriptor.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The directory itself.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// What `run.json` says.
    pub fn run_file(&self) -> Result<RunFile, DirError> {
        self.read_json(run_files::RUN)?.ok_or_else(|| {
            crate::dir::failed(
                "open",
                self.path().join(run_files::RUN),
                std::io::Error::from(std::io::ErrorKind::NotFound),
            )
        })
    }

    /// A file's contents, `None` when there is none. Regular files of at most
    /// [`RUN_FILE_BYTES`] only.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, DirError> {
        self.dir.read(name, RUN_FILE_BYTES)
    }

    /// The same as JSON.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DirError> {
        let Some(bytes) = self.read(name)? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|source| DirError::Malformed {
                path: self.path().join(name),
                source,
            })
    }

    /// Writes a file (0600) so that its name has the old contents or the new, never a part.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), DirError> {
        self.dir.write(name, bytes)
    }

    /// Makes a file (0600) in place of whatever has its name, in one step that is not atomic: the
    /// first half of a write in two steps, of which [`Self::rename`] is the second.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<(), DirError> {
        self.dir.create(name, bytes)
    }

    /// Renames a file.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), DirError> {
        self.dir.rename(from, to)
    }

    /// Removes a file; whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, DirError> {
        self.dir.remove(name)
    }

    /// The names in a directory of it, in order, at most `limit`; none when there is no such
    /// directory.
    pub fn list(&self, sub: &str, limit: usize) -> Result<Vec<String>, DirError> {
        match self.dir.sub(sub)? {
            Some(dir) => dir.names(limit),
            None => Ok(Vec::new()),
        }
    }

    /// The run's lock, `None` when another process has it.
    pub fn lock_try(&self) -> Result<Option<lock::Lock>, DirError> {
        lock::wait(&self.dir, Duration::ZERO)
    }

    /// The run's lock, waited for; `None` when another process still has it after `patience`.
    pub fn lock_wait(&self, patience: Duration) -> Result<Option<lock::Lock>, DirError> {
        lock::wait(&self.dir, patience)
    }

    /// Adds a line to `hooks.log`. What goes wrong here is not worth telling.
    pub fn log(&self, line: &str) {
        if self.logs {
            let _ = log::append(&self.dir, line);
        }
    }
}
