//! Changing somebody's configuration file: whole or not at all.
//!
//! The file behind a symbolic link is the one that changes, and the link stays. Mode and
//! owner stay. The new content is written beside the file, flushed to the disk, and
//! takes the name only if the file still is what was read; there is no lock that the
//! agent CLIs would respect, so between that look and the rename a few microseconds
//! remain. Whatever goes wrong, the file is unchanged and nothing is left beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Gid, OFlags, Uid};
use tempfile::NamedTempFile;

use super::edit_error::{EditError, io_error};

/// Bytes; no hand-kept configuration file comes near.
pub const MAX_FILE: u64 = 4 * 1024 * 1024;

/// How the names of files begin that are written and not renamed yet.
const TEMPORARY: &str = ".agent-room-";
/// A file of that name is left over when it is older than this: nobody writes for so long.
const LEFT_OVER: Duration = Duration::from_secs(60);

/// Removes what an edit left that was killed. Best effort: the edit at hand does not depend on it.
fn sweep(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| {
            name.strip_prefix(TEMPORARY)
                .is_some_and(|random| random.len() == 6)
        });
        let old = |m: fs::Metadata| {
            m.is_file()
                && m.modified()
                    .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_OVER))
        };
        if ours && entry.metadata().is_ok_and(old) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file as it was found, or its absence.
#[derive(Debug)]
pub struct Snapshot {
    /// As it was named.
    pub path: PathBuf,
    /// The file itself, links resolved.
    pub real: PathBuf,
    /// What is in it; `None` where there is no file.
    pub content: Option<Content>,
}

/// What a file holds, and what has to stay.
#[derive(Debug)]
pub struct Content {
    /// The text, byte order mark and all.
    pub text: String,
    /// Permission bits.
    pub mode: u32,
    uid: u32,
    gid: u32,
    /// How many names the file has; replacing it parts this one from the others.
    pub links: u64,
}

impl Snapshot {
    /// Reads a file, or finds that there is none.
    ///
    /// # Errors
    /// When there is something else of that name, or it cannot be read as text.
    pub fn read(path: &Path) -> Result<Snapshot, EditError> {
        let real = resolve(path)?;
        let content = match read(&real)? {
            None => None,
            Some((bytes, meta)) => Some(Content {
                text: String::from_utf8(bytes).map_err(|error| EditError::NotUtf8 {
                    path: path.to_owned(),
                    offset: error.utf8_error().valid_up_to(),
                })?,
                mode: meta.mode() & 0o7777,
                uid: meta.uid(),
                gid: meta.gid(),
                links: meta.nlink(),
            }),
        };
        Ok(Snapshot {
            path: path.to_owned(),
            real,
            content,
        })
    }

    /// The text, empty where there is no file.
    pub fn text(&self) -> &str {
        self.content.as_ref().map_or("", |content| &content.text)
    }

    /// Puts a new text in the file's place; creates file and directories where they are
    /// absent. Returns the directories that it created, outermost first.
    ///
    /// # Errors
    /// Always with the file unchanged and nothing left behind.
    pub fn write(&self, text: &str) -> Result<Vec<PathBuf>, EditError> {
        self.refuse_read_only()?;
        let dir = self.real.parent().unwrap_or(Path::new("/"));
        let made = create_dirs(dir)?;
        let result = self.replace(dir, text);
        if result.is_err() {
            remove_dirs(&made);
        }
        result.map(|()| made)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// Always with the file unchanged.
    pub fn remove(&self) -> Result<(), EditError> {
        self.refuse_read_only()?;
        self.compare()?;
        fs::remove_file(&self.real).map_err(io_error("remove", &self.path))?;
        sync_dir(self.real.parent().unwrap_or(Path::new("/")));
        Ok(())
    }

    fn refuse_read_only(&self) -> Result<(), EditError> {
        match &self.content {
            Some(content) if content.mode & 0o222 == 0 => Err(EditError::ReadOnly {
                path: self.path.clone(),
                mode: content.mode,
            }),
            _ => Ok(()),
        }
    }

    fn replace(&self, dir: &Path, text: &str) -> Result<(), EditError> {
        sweep(dir);
        let mut temporary = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .permissions(fs::Permissions::from_mode(match self.content {
                // Private until it is complete and has the old one's owner.
                Some(_) => 0o600,
                // What any editor would create: the umask decides.
                None => 0o666,
            }))
            .tempfile_in(dir)
            .map_err(io_error("write in", dir))?;
        let file = temporary.as_file_mut();
        file.write_all(text.as_bytes())
            .map_err(io_error("write in", dir))?;
        if let Some(content) = &self.content {
            self.keep_owner_and_mode(file, content)?;
        }
        file.sync_all().map_err(io_error("write in", dir))?;
        self.compare()?;
        self.take_name(temporary)?;
        sync_dir(dir);
        Ok(())
    }

    fn keep_owner_and_mode(&self, file: &File, content: &Content) -> Result<(), EditError> {
        let now = file.metadata().map_err(io_error("look at", &self.path))?;
        if (now.uid(), now.gid()) != (content.uid, content.gid) {
            let owner = (now.uid() != content.uid).then(|| Uid::from_raw(content.uid));
            let group = (now.gid() != content.gid).then(|| Gid::from_raw(content.gid));
            rustix::fs::fchown(file, owner, group).map_err(|_| EditError::Owner {
                path: self.path.clone(),
                uid: content.uid,
                gid: content.gid,
            })?;
        }
        file.set_permissions(fs::Permissions::from_mode(content.mode))
            .map_err(io_error("set the mode of", &self.path))
    }

    /// Is the file still what was read?
    fn compare(&self) -> Result<(), EditError> {
        let now = read(&self.real)?;
        let same = match (&self.content, &now) {
            (None, None) => true,
            (Some(then), Some((bytes, meta))) => {
                then.text.as_bytes() == bytes
                    && (then.mode, then.uid, then.gid)
                        == (meta.mode() & 0o7777, meta.uid(), meta.gid())
            }
            _ => false,
        };
        // A link that was moved to another file in between counts as well.
        if same && resolve(&self.path)? == self.real {
            Ok(())
        } else {
            Err(EditError::Changed {
                path: self.path.clone(),
            })
        }
    }

    fn take_name(&self, temporary: NamedTempFile) -> Result<(), EditError> {
        let result = if self.content.is_some() {
            temporary.persist(&self.real)
        } else {
            temporary.persist_noclobber(&self.real)
        };
        result.map(drop).map_err(|error| match error.error.kind() {
            ErrorKind::AlreadyExists => EditError::Changed {
                path: self.path.clone(),
            },
            _ => io_error("replace", &self.path)(error.error),
        })
    }
}

/// The path of the file itself, which need not exist (its directory neither).
fn resolve(path: &Path) -> Result<PathBuf, EditError> {
    match fs::canonicalize(path) {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(io_error("find", path)(error)),
    }
    if let Ok(target) = fs::read_link(path) {
        return Err(EditError::Dangling {
            path: path.to_owned(),
            target,
        });
    }
    let absolute = std::path::absolute(path).map_err(io_error("find", path))?;
    match (absolute.parent(), absolute.file_name()) {
        (Some(parent), Some(name)) => Ok(resolve(parent)?.join(name)),
        _ => Ok(absolute),
    }
}

fn read(path: &Path) -> Result<Option<(Vec<u8>, fs::Metadata)>, EditError> {
    // Without O_NONBLOCK the open of a pipe would wait for a writer.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return match fs::metadata(path) {
                Ok(meta) if !meta.is_file() => Err(not_a_file(path, &meta)),
                _ => Err(io_error("read", path)(error)),
            };
        }
    };
    let meta = file.metadata().map_err(io_error("read", path))?;
    if !meta.is_file() {
        return Err(not_a_file(path, &meta));
    }
    let mut bytes = Vec::new();
    let size = file
        .take(MAX_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(io_error("read", path))? as u64;
    if size > MAX_FILE {
        return Err(EditError::TooBig {
            path: path.to_owned(),
            size: meta.len(),
        });
    }
    Ok(Some((bytes, meta)))
}

fn not_a_file(path: &Path, meta: &fs::Metadata) -> EditError {
    EditError::NotAFile {
        path: path.to_owned(),
        what: if meta.is_dir() {
            "a directory"
        } else {
            "a device, a pipe or a socket"
        },
    }
}

/// Creates a directory and those above it; returns the new ones, outermost first.
fn create_dirs(dir: &Path) -> Result<Vec<PathBuf>, EditError> {
    let missing: Vec<&Path> = dir
        .ancestors()
        .take_while(
            |dir| matches!(fs::metadata(dir), Err(error) if error.kind() == ErrorKind::NotFound),
        )
        .collect();
    let mut made = Vec::new();
    for dir in missing.into_iter().rev() {
        match fs::create_dir(dir) {
            Ok(()) => made.push(dir.to_owned()),
            // Somebody else was quicker; then it is theirs.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                remove_dirs(&made);
                return Err(io_error("create", dir)(error));
            }
        }
    }
    Ok(made)
}

/// Removes directories that are empty, innermost first; leaves the others.
pub fn remove_dirs(dirs: &[PathBuf]) {
    for dir in dirs.iter().rev() {
        if fs::remove_dir(dir).is_err() {
            break;
        }
    }
}

/// Makes a rename or an unlink outlast a power cut. A file system that cannot is no
/// reason to call a change failed that has happened.
fn sync_dir(dir: &Path) {
    let _ = File::open(dir).and_then(|dir| dir.sync_all());
}
