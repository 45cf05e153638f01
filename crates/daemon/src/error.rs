//! Why a daemon could not start.

use std::path::{Path, PathBuf};

/// Why a daemon could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another daemon serves this home.
    #[error("another roomd{} already serves {}", describe(.holder), home.display())]
    Locked {
        /// The home.
        home: PathBuf,
        /// What the lock file says of its holder: process id and version.
        holder: String,
    },
    /// The home or one of its directories is not safe to use.
    #[error("{}: {why}", path.display())]
    Unsafe {
        /// Which.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// The operating system refused.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// What was tried, such as `cannot create`.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// The refusal.
        source: std::io::Error,
    },
    /// The store did not open.
    #[error("cannot open the store: {0}")]
    Store(#[from] room_store::Error),
}

fn describe(holder: &str) -> String {
    match holder.split_once(' ') {
        Some((pid, version)) => format!(" (process {pid}, version {version})"),
        None => String::new(),
    }
}

impl StartError {
    /// For `map_err`: what was tried on which path.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }

    pub(crate) fn not_safe(path: &Path, why: impl Into<String>) -> Self {
        Self::Unsafe {
            path: path.to_owned(),
            why: why.into(),
        }
    }
}
