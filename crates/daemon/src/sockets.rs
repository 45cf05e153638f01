//! The two sockets: bound under a temporary name, given their mode, and only then renamed into
//! place, so that no path ever leads to a socket with a wrong mode. Only the holder of the daemon's
//! lock does this, so what lies there is stale.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixSocket};

use crate::error::StartError;

const BACKLOG: u32 = 1024;

/// A socket that is ours, until it is removed.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    device: u64,
    inode: u64,
}

/// Binds a socket at `path` with `mode`.
pub fn bind(path: &Path, mode: u32) -> Result<(UnixListener, Place), StartError> {
    if !is_stale_socket(path).map_err(StartError::io("cannot look at", path))? {
        return Err(StartError::not_safe(
            path,
            "the daemon's socket belongs here, but something else is in its place",
        ));
    }
    // No longer than the final name: the kernel bounds a socket's path.
    let temporary = path.with_extension("temp");
    if is_stale_socket(&temporary).map_err(StartError::io("cannot look at", &temporary))? {
        remove(&temporary).map_err(StartError::io("cannot remove", &temporary))?;
    }
    let make = || -> io::Result<(UnixListener, Place)> {
        let socket = UnixSocket::new_stream()?;
        socket.bind(&temporary)?;
        fs::set_permissions(&temporary, Permissions::from_mode(mode))?;
        let listener = socket.listen(BACKLOG)?;
        let meta = fs::symlink_metadata(&temporary)?;
        fs::rename(&temporary, path)?;
        let place = Place {
            path: path.to_owned(),
            device: meta.dev(),
            inode: meta.ino(),
        };
        Ok((listener, place))
    };
    make().map_err(StartError::io("cannot serve", path))
}

/// Whether there is a socket, or nothing.
fn is_stale_socket(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(meta.file_type().is_socket()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(e) => Err(e),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

impl Place {
    /// Removes the socket, if it is still the one that was bound.
    pub fn clear(&self) {
        if let Ok(meta) = fs::symlink_metadata(&self.path)
            && meta.dev() == self.device
            && meta.ino() == self.inode
        {
            // A socket that stays behind is replaced by the next daemon.
            let _ = fs::remove_file(&self.path);
        }
    }
}
