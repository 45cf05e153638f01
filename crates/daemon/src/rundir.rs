//! A run's directory: made before the run is answered, removed some time after it ended.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use room_protocol::ProblemKind;
use room_protocol::layout::run_files;
use room_protocol::runfile::RunFile;

use crate::log::log;
use crate::refusal::{Refusal, Result};

const PRIVATE: u32 = 0o700;
/// `run.json`, until it is whole.
const BEGUN: &str = "run.json.begun";
/// What lies in a run's directory.
const FILES: &[&str] = &[
    run_files::RUN,
    BEGUN,
    run_files::PROCESS,
    run_files::SESSION,
    run_files::LOCK,
    run_files::STAMP,
    run_files::NOTE,
    run_files::NOTE_BEGUN,
    run_files::ROOM_MARKER,
    run_files::GIT_MARKER,
    run_files::OUTBOX,
    run_files::LOG,
    run_files::LOG_OLD,
];

/// A run's directory that was made just now.
#[derive(Debug)]
pub struct RunDir(PathBuf);

impl RunDir {
    /// Makes it, with `run.json` whole on disk and an empty outbox.
    pub async fn make(path: PathBuf, file: RunFile) -> Result<Self> {
        let made = tokio::task::spawn_blocking(move || {
            let dir = Self(path);
            match dir.fill(&file) {
                Ok(()) => Ok(dir),
                Err(e) => {
                    // Only what was made here: somebody else's directory refuses at its making.
                    if e.kind() != io::ErrorKind::AlreadyExists {
                        let _ = fs::remove_dir_all(&dir.0);
                    }
                    Err(failed(&dir.0, &e))
                }
            }
        });
        match made.await {
            Ok(made) => made,
            Err(e) => Err(Refusal::internal(&format!("a task failed: {e}"))),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Removes it.
    pub async fn remove(self) {
        remove(self.0).await;
    }

    fn fill(&self, file: &RunFile) -> io::Result<()> {
        private_dir(&self.0)?;
        private_dir(&self.0.join(run_files::OUTBOX))?;
        let json = serde_json::to_vec(file)?;
        let begun = self.0.join(BEGUN);
        let mut out = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&begun)?;
        out.set_permissions(fs::Permissions::from_mode(0o600))?;
        out.write_all(&json)?;
        out.sync_all()?;
        fs::rename(&begun, self.0.join(run_files::RUN))?;
        File::open(&self.0)?.sync_all()
    }
}

/// Whether a directory that no run has is one that was made for a run, and nothing in it has changed
/// for so long: private, ours, and with nothing in it but what lies in a run's directory.
pub fn is_stray(path: &Path, kept: Duration) -> bool {
    let ours = || -> io::Result<bool> {
        let meta = fs::symlink_metadata(path)?;
        let private = meta.is_dir()
            && meta.mode() & 0o777 == PRIVATE
            && meta.uid() == rustix::process::geteuid().as_raw();
        // A time to come is no age.
        let old = meta.modified()?.elapsed().is_ok_and(|age| age >= kept);
        if !(private && old) {
            return Ok(false);
        }
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name();
            if !FILES.iter().any(|known| name == **known) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    // What cannot be looked at stays.
    ours().unwrap_or(false)
}

/// Removes a run's directory with all that is in it. Links are removed, not followed.
pub async fn remove(path: PathBuf) {
    let removed =
        tokio::task::spawn_blocking(move || fs::remove_dir_all(&path).map_err(|e| (path, e)));
    if let Ok(Err((path, e))) = removed.await
        && e.kind() != io::ErrorKind::NotFound
    {
        log!("cannot remove {}: {e}", path.display());
    }
}

fn private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(PRIVATE).create(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(PRIVATE))
}

fn failed(path: &Path, error: &io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Refusal::new(
            ProblemKind::StorageFull,
            "the disk is full: the run was not opened",
        ),
        _ => Refusal::internal(&format!("cannot make {}: {error}", path.display())),
    }
}
