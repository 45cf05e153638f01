//! What can go wrong between a client and the daemon.

use std::io;
use std::path::{Path, PathBuf};

use room_protocol::{Problem, ProblemKind};

/// Why the daemon could not be reached, or stopped answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Nothing has the socket's path.
    #[error("there is no socket; no daemon is running for this ROOM_HOME")]
    NoSocket,
    /// A socket is there and nobody listens.
    #[error("nobody listens there; the daemon has ended")]
    Refused,
    /// What has the socket's path is something else, or a socket of another kind.
    #[error("that is not the daemon's socket")]
    NotASocket,
    /// The path is longer than the kernel takes.
    #[error("the path is too long for a socket; choose a shorter ROOM_HOME")]
    PathTooLong,
    /// The file permissions, or a sandbox, forbid it.
    #[error("this process may not connect there (file permissions, or a sandbox)")]
    Forbidden,
    /// The deadline passed.
    #[error("it did not answer in time; it is hung or overloaded")]
    TimedOut,
    /// It closed the connection before its answer was complete.
    #[error("it closed the connection in the middle of its answer")]
    Closed,
    /// Anything else; the source tells.
    #[error("the connection failed")]
    Io,
}

/// What can go wrong between a client and the daemon.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The daemon could not be reached, or stopped answering.
    #[error("cannot talk to the daemon at {}: {why}{}", socket.display(), log(*why, socket))]
    Unreachable {
        /// The socket.
        socket: PathBuf,
        /// Why.
        why: Why,
        /// What the system said.
        source: io::Error,
    },
    /// The daemon answered with a problem.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// What answered does not speak the daemon's language.
    #[error("{} gave an answer that makes no sense: {what}", socket.display())]
    Garbage {
        /// The socket.
        socket: PathBuf,
        /// What was wrong with it.
        what: String,
    },
}

/// Where to look when a daemon is there and does not answer: its log, in the home that the socket is in.
fn log(why: Why, socket: &Path) -> String {
    if why != Why::TimedOut {
        return String::new();
    }
    let dir = socket.parent().filter(|_| socket.ends_with("roomd.sock"));
    let home = dir.and_then(|dir| {
        if dir.ends_with("lane") {
            dir.parent()
        } else {
            Some(dir)
        }
    });
    match home {
        Some(home) => format!(" (see {})", home.join("roomd.log").display()),
        None => " (see roomd.log in ROOM_HOME)".to_owned(),
    }
}

impl Error {
    /// Whether the same call may work later: nothing is wrong with what was asked.
    pub fn is_temporary(&self) -> bool {
        use ProblemKind::{Internal, StorageFull, Timeout, TooMany, Unavailable};
        match self {
            Self::Unreachable { why, .. } => !matches!(why, Why::PathTooLong | Why::NotASocket),
            Self::Problem(problem) => matches!(
                problem.kind,
                Internal | StorageFull | Timeout | TooMany | Unavailable
            ),
            Self::Garbage { .. } => false,
        }
    }

    /// The kind of problem that the daemon answered with.
    pub fn problem(&self) -> Option<ProblemKind> {
        match self {
            Self::Problem(problem) => Some(problem.kind),
            _ => None,
        }
    }

    /// Whether nobody listens at the socket: a new daemon may be started.
    pub fn nobody_listens(&self) -> bool {
        matches!(
            self,
            Self::Unreachable {
                why: Why::NoSocket | Why::Refused,
                ..
            }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_daemon_names_its_log() {
        for (socket, log) in [
            ("/h/roomd.sock", "/h/roomd.log"),
            ("/h/lane/roomd.sock", "/h/roomd.log"),
            ("/tmp/agent-room-0-1/lane/l.sock", "roomd.log in ROOM_HOME"),
        ] {
            let error = |why| Error::Unreachable {
                socket: socket.into(),
                why,
                source: io::ErrorKind::TimedOut.into(),
            };
            let text = error(Why::TimedOut).to_string();
            assert!(text.ends_with(&format!("(see {log})")), "{text}");
            assert!(!error(Why::Refused).to_string().contains("see"));
        }
    }
}
