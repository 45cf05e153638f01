//! Where everything lies below `$ROOM_HOME`. Paths only; nothing here touches the disk.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::RunId;

/// Longest socket path the kernel takes, without its closing NUL: `sun_path` is 108 bytes on Linux,
/// 104 on macOS and the BSDs.
pub const SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The files of one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    home: PathBuf,
    uid: u32,
}

impl Layout {
    /// The layout of a home for the user `uid` (who only matters where a socket has to be moved).
    pub fn new(home: impl Into<PathBuf>, uid: u32) -> Self {
        Self {
            home: home.into(),
            uid,
        }
    }

    /// From the environment: `ROOM_HOME`, else `$XDG_STATE_HOME/agent-room`, else
    /// `$HOME/.local/state/agent-room`. Empty values count as absent, and so do relative ones, as the
    /// XDG base directory specification says; but a `ROOM_HOME` that is relative is `None`: whoever set
    /// it meant another home than the usual one. `None` also when nothing tells.
    pub fn from_env(var: impl Fn(&str) -> Option<std::ffi::OsString>, uid: u32) -> Option<Self> {
        let set = |name: &str| var(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let absolute = |name: &str| set(name).filter(|p| p.is_absolute());
        let home = match set("ROOM_HOME") {
            Some(home) => Some(home).filter(|p| p.is_absolute()),
            None => absolute("XDG_STATE_HOME")
                .map(|p| p.join("agent-room"))
                .or_else(|| absolute("HOME").map(|p| p.join(".local/state/agent-room"))),
        };
        Some(Self::new(home?, uid))
    }

    /// `$ROOM_HOME`, mode 0700.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The operator lane's socket, mode 0600.
    pub fn operator_socket(&self) -> PathBuf {
        self.socket(self.home.join("roomd.sock"), "o.sock")
    }

    /// The run lane's directory, mode 0755: what a container mounts.
    pub fn lane_dir(&self) -> PathBuf {
        self.home.join("lane")
    }

    /// The run lane's socket, mode 0666.
    pub fn lane_socket(&self) -> PathBuf {
        self.socket(self.lane_dir().join("roomd.sock"), "lane/l.sock")
    }

    /// A socket's path, or where it is moved to when it is too long for the kernel.
    fn socket(&self, path: PathBuf, short: &str) -> PathBuf {
        if path.as_os_str().len() <= SOCKET_PATH_BYTES {
            path
        } else {
            self.short_dir().join(short)
        }
    }

    /// The private directory (0700, owned by the user, else refused) for sockets whose own path is
    /// too long: the same for everyone who knows the home and the user.
    pub fn short_dir(&self) -> PathBuf {
        PathBuf::from(format!(
            "/tmp/agent-room-{}-{:016x}",
            self.uid,
            fnv1a(self.home.as_os_str())
        ))
    }

    /// Whether a socket had to be moved.
    pub fn moved(&self) -> bool {
        self.lane_socket().starts_with(self.short_dir())
    }

    /// Locked by the daemon as long as it serves this home.
    pub fn daemon_lock(&self) -> PathBuf {
        self.home.join("roomd.lock")
    }

    /// Locked by whoever starts a daemon, until it serves.
    pub fn start_lock(&self) -> PathBuf {
        self.home.join("start.lock")
    }

    /// The daemon's log.
    pub fn daemon_log(&self) -> PathBuf {
        self.home.join("roomd.log")
    }

    /// The SQLite database.
    pub fn database(&self) -> PathBuf {
        self.home.join("room.db")
    }

    /// All runs' directories, mode 0700.
    pub fn runs_dir(&self) -> PathBuf {
        self.home.join("runs")
    }

    /// One run's directory, mode 0700.
    pub fn run_dir(&self, run: &RunId) -> PathBuf {
        self.runs_dir().join(run.as_str())
    }
}

/// FNV-1a, 64 bits: keeps two homes' short directories apart. The directory's owner and mode are
/// what protects it, not this.
fn fnv1a(text: &OsStr) -> u64 {
    text.as_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
}

/// File names inside a run's directory.
pub mod run_files {
    /// See [`crate::runfile::RunFile`]; mode 0600.
    pub const RUN: &str = "run.json";
    /// See [`crate::runfile::ProcessFile`].
    pub const PROCESS: &str = "process.json";
    /// The session that takes the mail.
    pub const SESSION: &str = "session.json";
    /// Locked from a lease to its acknowledgement.
    pub const LOCK: &str = "lock";
    /// When the after-tool hooks may ask next.
    pub const STAMP: &str = "stamp";
    /// What was shown and not acknowledged yet.
    pub const NOTE: &str = "note.json";
    /// What is about to be shown.
    pub const NOTE_BEGUN: &str = "note.tmp";
    /// The stop gate's marker for room messages.
    pub const ROOM_MARKER: &str = "stop-room-nudged";
    /// The stop gate's marker for the repository.
    pub const GIT_MARKER: &str = "stop-git-nudged";
    /// Posts that could not reach the daemon, waiting for the next hook.
    pub const OUTBOX: &str = "outbox";
    /// What went wrong in hooks.
    pub const LOG: &str = "hooks.log";
    /// The log's one older generation.
    pub const LOG_OLD: &str = "hooks.log.1";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_comes_from_the_first_variable_that_tells() {
        let find = |set: &'static [(&str, &str)]| {
            Layout::from_env(
                |name| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into()),
                7,
            )
            .map(|l| l.home().to_owned())
        };
        assert_eq!(
            find(&[("ROOM_HOME", "/r"), ("HOME", "/h")]),
            Some("/r".into())
        );
        assert_eq!(
            find(&[("ROOM_HOME", ""), ("XDG_STATE_HOME", "/s")]),
            Some("/s/agent-room".into())
        );
        assert_eq!(
            find(&[("XDG_STATE_HOME", "s"), ("HOME", "/h")]),
            Some("/h/.local/state/agent-room".into())
        );
        assert_eq!(find(&[("HOME", "")]), None);
    }

    #[test]
    fn a_relative_home_is_no_home_rather_than_another_one() {
        let set = [("ROOM_HOME", "r"), ("XDG_STATE_HOME", "/s"), ("HOME", "/h")];
        let find = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into());
        assert_eq!(Layout::from_env(find, 7), None);
    }

    #[test]
    fn a_home_too_long_for_a_socket_moves_both_sockets() {
        let short = Layout::new("/r", 7);
        assert_eq!(short.operator_socket(), Path::new("/r/roomd.sock"));
        assert!(!short.moved());
        let long = Layout::new(format!("/{}", "x".repeat(120)), 7);
        assert!(long.moved());
        for socket in [long.operator_socket(), long.lane_socket()] {
            assert!(socket.starts_with(long.short_dir()), "{socket:?}");
            assert!(socket.as_os_str().len() <= SOCKET_PATH_BYTES);
        }
        assert_ne!(
            long.short_dir(),
            Layout::new(format!("/{}", "y".repeat(120)), 7).short_dir()
        );
    }
}
