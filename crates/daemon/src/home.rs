//! Makes the home's directories, with the right modes whatever the umask, and refuses a home that
//! somebody else could reach into, or that is not agent-room's to close.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use room_protocol::layout::Layout;
use rustix::fs::OFlags;

use crate::error::StartError;
use crate::log::log;

const PRIVATE: u32 = 0o700;
const LANE: u32 = 0o755;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// What lies in a home before its first daemon: `room` makes these to start it.
const BEFORE: &[&str] = &["start.lock", "roomd.log"];
/// What lies in a lane, or in the short directory, whichever socket is bound there.
const SOCKETS: &[&str] = &[
    "roomd.sock",
    "roomd.temp",
    "o.sock",
    "o.temp",
    "l.sock",
    "l.temp",
    "lane",
];

/// Makes what is missing of the home and checks what is there.
pub fn prepare(layout: &Layout, uid: u32) -> Result<(), StartError> {
    // Asked before anything is made.
    let known = is_home(layout, uid);
    let home = Kept {
        mode: PRIVATE,
        known,
        own: BEFORE,
        uid,
    };
    prepare_home(layout.home(), &home)?;
    let runs = Kept { own: &[], ..home };
    runs.dir(&layout.runs_dir())?;
    let short = Kept {
        known: false,
        own: SOCKETS,
        ..home
    };
    if layout.moved() {
        short_dir(&layout.short_dir(), &short)?;
    }
    for socket in [layout.operator_socket(), layout.lane_socket()] {
        if let Some(dir) = socket.parent()
            && dir != layout.home()
            && dir != layout.short_dir()
        {
            let lane = Kept {
                mode: LANE,
                known,
                ..short
            };
            lane.dir(dir)?;
        }
    }
    Ok(())
}

/// Whether a daemon of this user has served this home before.
fn is_home(layout: &Layout, uid: u32) -> bool {
    [layout.daemon_lock(), layout.database()]
        .iter()
        .any(|path| {
            fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file() && meta.uid() == uid)
        })
}

/// Makes the database's file, private from its first moment (SQLite gives its other files the same mode).
pub fn private_file(path: &Path, uid: u32) -> Result<(), StartError> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
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

/// What a directory has to be.
#[derive(Clone, Copy)]
struct Kept {
    mode: u32,
    /// It belongs to a home that was served before.
    known: bool,
    /// Names of what agent-room itself leaves in it.
    own: &'static [&'static str],
    uid: u32,
}

impl Kept {
    /// Makes the directory, or checks what is there already: a directory of this user, not a link. Its
    /// mode is set right only where it is evidently agent-room's, or holds nothing: a mistaken
    /// `ROOM_HOME` must not shut a directory that others need.
    fn dir(&self, path: &Path) -> Result<(), StartError> {
        let made = match DirBuilder::new().mode(self.mode).create(path) {
            Ok(()) => true,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => false,
            Err(e) => return Err(StartError::io("cannot create", path)(e)),
        };
        let meta = look(path)?;
        if !meta.is_dir() {
            return Err(StartError::not_safe(path, "it is not a directory"));
        }
        owned(path, &meta, self.uid)?;
        let (mode, exact) = (meta.mode() & 0o7777, meta.mode() & 0o7777 == self.mode);
        if exact || (!made && self.fits(mode)) {
            return Ok(());
        }
        // By descriptor: what is judged is what is changed.
        let dir = OpenOptions::new()
            .read(true)
            .custom_flags((OFlags::NOFOLLOW | OFlags::DIRECTORY).bits().cast_signed())
            .open(path)
            .map_err(StartError::io("cannot open", path))?;
        if !made {
            let shared = mode & STICKY != 0;
            let nothing_else = || only(&dir, self.own).map_err(StartError::io("cannot list", path));
            if shared || !(self.known || nothing_else()?) {
                return Err(self.refused(path, mode));
            }
        }
        dir.set_permissions(Permissions::from_mode(self.mode))
            .map_err(StartError::io("cannot set the mode of", path))?;
        if !made {
            log!(
                "{} had mode {mode:03o}; it has mode {:03o} now",
                path.display(),
                self.mode
            );
        }
        Ok(())
    }

    /// Whether a mode will do as it is.
    fn fits(&self, mode: u32) -> bool {
        match self.mode {
            PRIVATE => mode & 0o077 == 0,
            exact => mode & 0o777 == exact,
        }
    }

    fn refused(&self, path: &Path, mode: u32) -> StartError {
        let why = format!(
            "it was there before, with mode {mode:03o}, and it is not evidently agent-room's, so its mode is left alone: choose another ROOM_HOME, or `chmod {:03o}` it if it is meant",
            self.mode
        );
        StartError::not_safe(path, why)
    }
}

/// Whether a directory holds nothing but what has one of these names.
fn only(dir: &File, names: &[&str]) -> io::Result<bool> {
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        let known = name == b"." || name == b".." || names.iter().any(|n| n.as_bytes() == name);
        if !known {
            return Ok(false);
        }
    }
    Ok(true)
}

fn prepare_home(home: &Path, kept: &Kept) -> Result<(), StartError> {
    if !home.is_absolute() {
        return Err(StartError::not_safe(
            home,
            "a home has to be an absolute path",
        ));
    }
    match fs::symlink_metadata(home) {
        Ok(meta) if meta.is_symlink() => linked_home(home, kept),
        _ => {
            if let Some(parent) = home.parent() {
                DirBuilder::new()
                    .recursive(true)
                    .mode(PRIVATE)
                    .create(parent)
                    .map_err(StartError::io("cannot create", parent))?;
            }
            kept.dir(home)
        }
    }
}

/// A home behind a link is used where nobody else can change what the link leads to.
fn linked_home(home: &Path, kept: &Kept) -> Result<(), StartError> {
    let uid = kept.uid;
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
    kept.dir(&target)
}

/// Lies in a directory that everybody can write to, so whatever is there already is suspect.
fn short_dir(path: &Path, kept: &Kept) -> Result<(), StartError> {
    if let Ok(meta) = fs::symlink_metadata(path)
        && (!meta.is_dir() || meta.uid() != kept.uid || meta.mode() & WRITABLE_BY_OTHERS != 0)
    {
        return Err(StartError::not_safe(
            path,
            "the sockets would lie here, since the home's own path is too long for them, but it is not a private directory of this user: remove it or choose a shorter home",
        ));
    }
    kept.dir(path)
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
