//! Where a repository lies. Git itself would read its configuration to tell.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// What is read of a file that names a directory, in bytes.
const POINTER_BYTES: u64 = 8 * 1024;

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
            let Ok(meta) = fs::metadata(&dot) else {
                continue;
            };
            let dir = if meta.is_dir() {
                if fs::symlink_metadata(dot.join("HEAD")).is_err() {
                    continue;
                }
                real(&dot)?
            } else {
                let text = pointer(&dot)?.ok_or("its .git went away")?;
                let to = text.strip_prefix(b"gitdir: ");
                let to = to.ok_or("its .git is no repository")?.to_vec();
                real(&top.join(OsString::from_vec(to)))?
            };
            let common = match pointer(&dir.join("commondir"))? {
                Some(to) => real(&dir.join(OsString::from_vec(to)))?,
                None => dir.clone(),
            };
            let user = rustix::process::geteuid().as_raw();
            let foreign = [top, &dot, &dir]
                .iter()
                .any(|path| fs::symlink_metadata(path).map_or(true, |meta| meta.uid() != user));
            return Ok(Self {
                top: top.to_owned(),
                dir,
                common,
                foreign,
            });
        }
        Err("there is no repository".to_owned())
    }

    /// Whether it is one of several work trees.
    pub(super) fn is_linked(&self) -> bool {
        self.dir != self.common
    }
}

fn real(path: &Path) -> Result<PathBuf, String> {
    fs::canonicalize(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// What a file that names a directory says, without the end of its line; `None` where there is no
/// such file.
fn pointer(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let Some(file) = regular(path)? else {
        return Ok(None);
    };
    let mut text = Vec::new();
    file.take(POINTER_BYTES)
        .read_to_end(&mut text)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    while text
        .last()
        .is_some_and(|last| matches!(last, b'\n' | b'\r'))
    {
        text.pop();
    }
    Ok(Some(text))
}

/// Opens a regular file, without waiting for whoever writes into a pipe; `None` where there is no
/// such file.
pub(super) fn regular(path: &Path) -> Result<Option<File>, String> {
    let said = |e: std::io::Error| format!("{}: {e}", path.display());
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    match opened {
        Ok(file) if file.metadata().map_err(said)?.is_file() => Ok(Some(file)),
        Ok(_) => Err(format!("{} is no file", path.display())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(said(e)),
    }
}
