//! The directory that stands in for the repository's common one.
//!
//! Git takes what all work trees share from `GIT_COMMON_DIR`, its configuration above all, and only
//! HEAD, index and the like from `GIT_DIR`: see git(1) and gitrepository-layout(5). In the stand-in
//! the configuration is ours; the rest are links to the repository's, and data only. `GIT_DIR` stays
//! the repository's own: its configuration for one work tree is read only where the common
//! configuration says so, and ours does not.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags, mkdir, open, rmdir, symlink, unlink};
use rustix::io::{Errno, write};

use super::find::{Place, is_outside};

/// What is the repository's own. Objects are not: their alternates may be relative to them.
const LINKS: &[&str] = &["refs", "packed-refs", "info", "shallow"];
const CONFIG: &str = "config";
const PREFIX: &str = "agent-room-git-";
/// One that is older was left by a hook that was killed; a question takes less than a second.
const STALE: Duration = Duration::from_secs(60);

/// Variables for git.
pub(super) type Env = [(&'static str, PathBuf); 4];

/// A stand-in, removed when it is dropped.
pub(super) struct Shadow {
    path: PathBuf,
}

impl Shadow {
    /// Makes one without a configuration, in memory if it can be: where others, and the sandbox of
    /// an agent that has the same user, can write least.
    pub(super) fn make(place: &Place) -> Result<Self, String> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").unwrap_or_default();
        let bases = [
            PathBuf::from(runtime),
            PathBuf::from("/dev/shm"),
            std::env::temp_dir(),
        ];
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let name = format!(
            "{PREFIX}{}-{}",
            std::process::id(),
            now.unwrap_or_default().subsec_nanos()
        );
        for base in bases.iter().filter(|base| base.is_absolute()) {
            let path = base.join(&name);
            // Not where it would be a change of the repository's. Fails where there is anything already.
            if !is_outside(base, &place.top) || mkdir(&path, Mode::RWXU).is_err() {
                continue;
            }
            sweep(base);
            let shadow = Self { path };
            for link in LINKS {
                symlink(place.common.join(link), shadow.path.join(link)).map_err(said)?;
            }
            return Ok(shadow);
        }
        Err("no directory can be made for it".to_owned())
    }

    /// Gives it its configuration.
    pub(super) fn configure(&self, text: &[u8]) -> Result<(), String> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = open(self.path.join(CONFIG), flags, Mode::RUSR).map_err(said)?;
        match write(&file, text) {
            Ok(length) if length == text.len() => Ok(()),
            Ok(_) => Err(said(Errno::NOSPC)),
            Err(e) => Err(said(e)),
        }
    }

    /// With these variables git takes it for the common directory.
    pub(super) fn env(&self, place: &Place) -> Env {
        [
            ("GIT_DIR", place.dir.clone()),
            ("GIT_COMMON_DIR", self.path.clone()),
            ("GIT_OBJECT_DIRECTORY", place.common.join("objects")),
            ("GIT_WORK_TREE", place.top.clone()),
        ]
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn said(e: Errno) -> String {
    format!("the stand-in of the repository: {e}")
}

fn remove(path: &Path) {
    for name in LINKS.iter().chain([&CONFIG]) {
        let _ = unlink(path.join(name));
    }
    let _ = rmdir(path);
}

/// Removes what killed hooks left.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let ours = entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes());
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if ours && age().is_some_and(|age| age > STALE) {
            remove(&entry.path());
        }
    }
}
