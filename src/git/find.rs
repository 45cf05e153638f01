//! Where a repository lies. Git itself would read its configuration to tell.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat, lstat, open, stat};
use rustix::io::Errno;

/// What is read of a file that names a directory, in bytes.
const POINTER_BYTES: usize = 8 * 1024;

/// A repository with a work tree; every path is absolute and without links.
#[derive(Debug)]
pub(super) struct Place {
    /// The work tree.
    pub(super) top: PathBuf,
    /// What is the work tree's alone: HEAD and index.
    pub(super) dir: PathBuf,
    /// What all work trees share; the same as `dir` where there is one only.
    pub(super) common: PathBuf,
    /// It belongs to another user.
    pub(super) foreign: bool,
}

impl Place {
    /// The nearest repository around `cwd`, by default the process's own, see gitrepository-layout(5).
    pub(super) fn around(cwd: Option<&Path>) -> Result<Self, String> {
        let start = real(cwd.unwrap_or(Path::new(".")))?;
        for top in start.ancestors() {
            let dot = top.join(".git");
            let Ok(meta) = stat(&dot) else {
                continue;
            };
            let dir = if FileType::from_raw_mode(meta.st_mode).is_dir() {
                if lstat(dot.join("HEAD")).is_err() {
                    continue;
                }
                real(&dot)?
            } else {
                let to = pointer(&dot, top, b"gitdir: ")?;
                to.ok_or("its .git is no repository")?
            };
            let common = pointer(&dir.join("commondir"), &dir, b"")?;
            let common = common.unwrap_or_else(|| dir.clone());
            let user = rustix::process::geteuid().as_raw();
            let foreign = [top, &dot, &dir]
                .iter()
                .any(|path| !lstat(*path).is_ok_and(|stat| stat.st_uid == user));
            return Ok(Self {
                top: top.to_owned(),
                dir,
                common,
                foreign,
            });
        }
        Err("there is no repository".to_owned())
    }

    /// Whether the work tree is where its directory says that it is.
    pub(super) fn is_at(&self, said: &[u8]) -> bool {
        let at = fs::canonicalize(self.dir.join(OsStr::from_bytes(said)));
        at.is_ok_and(|at| at.as_os_str() == self.top.as_os_str())
    }

    /// Whether it is one of several work trees.
    pub(super) fn is_linked(&self) -> bool {
        self.dir.as_os_str() != self.common.as_os_str()
    }
}

fn real(path: &Path) -> Result<PathBuf, String> {
    fs::canonicalize(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Whether `path` is not below `top`, and is at all. Where links lead counts.
pub(super) fn is_outside(path: &Path, top: &Path) -> bool {
    let Ok(real) = fs::canonicalize(path) else {
        return false;
    };
    let top = top.as_os_str().as_bytes();
    match real.as_os_str().as_bytes().strip_prefix(top) {
        Some(rest) => !(rest.is_empty() || rest.starts_with(b"/") || top.ends_with(b"/")),
        None => true,
    }
}

/// The directory that a file names behind `mark`, as seen from `base`; `None` where there is no such
/// file.
fn pointer(path: &Path, base: &Path, mark: &[u8]) -> Result<Option<PathBuf>, String> {
    let Some(file) = regular(path)? else {
        return Ok(None);
    };
    let mut buffer = [0; POINTER_BYTES];
    let length = rustix::io::read(&file, &mut buffer).map_err(|e| said(path, e))?;
    let mut text = buffer[..length].strip_prefix(mark).unwrap_or_default();
    while let [rest @ .., b'\n' | b'\r'] = text {
        text = rest;
    }
    if text.is_empty() || length == POINTER_BYTES {
        return Err(format!("{} names no directory", path.display()));
    }
    real(&base.join(OsStr::from_bytes(text))).map(Some)
}

/// Opens a regular file, without waiting for whoever writes into a pipe; `None` where there is no
/// such file.
pub(super) fn regular(path: &Path) -> Result<Option<File>, String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match open(path, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        Err(e) => return Err(said(path, e)),
    };
    let stat = fstat(&file).map_err(|e| said(path, e))?;
    if FileType::from_raw_mode(stat.st_mode).is_file() {
        Ok(Some(file.into()))
    } else {
        Err(format!("{} is no file", path.display()))
    }
}

fn said(path: &Path, e: Errno) -> String {
    format!("{}: {e}", path.display())
}
