//! Makes the home's directories, with the right modes whatever the umask, and refuses a home that
//! somebody else could reach into.

use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use room_protocol::layout::Layout;

use crate::error::StartError;

const PRIVATE: u32 = 0o700;
const LANE: u32 = 0o755;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Makes what is missing of the home and checks what is there.
pub fn prepare(layout: &Layout, uid: u32) -> Result<(), StartError> {
    prepare_home(layout.home(), uid)?;
    private_dir(&layout.runs_dir(), PRIVATE, uid)?;
    if layout.moved() {
        short_dir(&layout.short_dir(), uid)?;
    }
    for socket in [layout.operator_socket(), layout.lane_socket()] {
        if let Some(dir) = socket.parent()
            && dir != layout.home()
            && dir != layout.short_dir()
        {
            private_dir(dir, LANE, uid)?;
        }
    }
    Ok(())
}

/// Makes the database's file, private from its first moment (SQLite gives its other files the same mode).
pub fn private_file(path: &Path, uid: u32) -> Result<(), StartError> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .map_err(StartError::io("cannot create", path))?;
    let meta = file
        .metadata()
        .map_err(StartError::io("cannot look at", path))?;
    if !meta.is_file() || meta.uid() != uid {
        return Err(StartError::not_safe(
            path,
            "it is not a regular file of this user",
        ));
    }
    file.set_permissions(Permissions::from_mode(0o600))
        .map_err(StartError::io("cannot set the mode of", path))
}

/// A directory of ours with exactly this mode. What is there already has to be a directory of this
/// user, not a link.
pub fn private_dir(path: &Path, mode: u32, uid: u32) -> Result<(), StartError> {
    match DirBuilder::new().mode(mode).create(path) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(StartError::io("cannot create", path)(e)),
    }
    let meta = look(path)?;
    if !meta.is_dir() {
        return Err(StartError::not_safe(path, "it is not a directory"));
    }
    owned(path, &meta, uid)?;
    if meta.mode() & 0o7777 != mode {
        fs::set_permissions(path, Permissions::from_mode(mode))
            .map_err(StartError::io("cannot set the mode of", path))?;
    }
    Ok(())
}

fn prepare_home(home: &Path, uid: u32) -> Result<(), StartError> {
    if !home.is_absolute() {
        return Err(StartError::not_safe(
            home,
            "a home has to be an absolute path",
        ));
    }
    match fs::symlink_metadata(home) {
        Ok(meta) if meta.is_symlink() => linked_home(home, uid),
        _ => {
            if let Some(parent) = home.parent() {
                DirBuilder::new()
                    .recursive(true)
                    .mode(PRIVATE)
                    .create(parent)
                    .map_err(StartError::io("cannot create", parent))?;
            }
            private_dir(home, PRIVATE, uid)
        }
    }
}

/// A home behind a link is used where nobody else can change what the link leads to.
fn linked_home(home: &Path, uid: u32) -> Result<(), StartError> {
    let target = fs::canonicalize(home).map_err(StartError::io("cannot follow", home))?;
    let meta = look(&target)?;
    if !meta.is_dir() {
        return Err(StartError::not_safe(home, "it is not a directory"));
    }
    owned(&target, &meta, uid)?;
    if meta.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(StartError::not_safe(
            home,
            format!(
                "it leads to {}, which others can write to; chmod it to 700",
                target.display()
            ),
        ));
    }
    for above in target.ancestors().skip(1) {
        let meta = look(above)?;
        let shared = meta.mode() & WRITABLE_BY_OTHERS != 0 && meta.mode() & STICKY == 0;
        if shared || (meta.uid() != uid && meta.uid() != 0) {
            return Err(StartError::not_safe(
                home,
                format!(
                    "it leads below {}, which others can change",
                    above.display()
                ),
            ));
        }
    }
    private_dir(&target, PRIVATE, uid)
}

/// Lies in a directory that everybody can write to, so whatever is there already is suspect.
fn short_dir(path: &Path, uid: u32) -> Result<(), StartError> {
    if let Ok(meta) = fs::symlink_metadata(path)
        && (!meta.is_dir() || meta.uid() != uid || meta.mode() & WRITABLE_BY_OTHERS != 0)
    {
        return Err(StartError::not_safe(
            path,
            "the sockets would lie here, since the home's own path is too long for them, but it is not a private directory of this user: remove it or choose a shorter home",
        ));
    }
    private_dir(path, PRIVATE, uid)
}

fn look(path: &Path) -> Result<Metadata, StartError> {
    fs::symlink_metadata(path).map_err(StartError::io("cannot look at", path))
}

fn owned(path: &Path, meta: &Metadata, uid: u32) -> Result<(), StartError> {
    if meta.uid() == uid {
        return Ok(());
    }
    Err(StartError::not_safe(
        path,
        format!(
            "it belongs to user {}, not to user {uid}; choose another ROOM_HOME",
            meta.uid()
        ),
    ))
}
