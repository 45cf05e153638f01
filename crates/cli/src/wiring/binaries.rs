//! Where the hook programs are, as it will stand in somebody's configuration.

use std::path::{Path, PathBuf};

use super::plan::Hook;

/// The commands of the three hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binaries {
    commands: [String; 3],
}

/// A directory whose programs cannot be named in a configuration file.
#[derive(Debug, thiserror::Error)]
pub enum BadBinaries {
    /// Hooks run in the session's directory, not in ours.
    #[error("{0}: the hooks' directory has to be an absolute path")]
    Relative(PathBuf),
    /// JSON and TOML hold text.
    #[error(
        "{0:?}: the path is not valid UTF-8, and the agent CLIs' configuration can hold nothing else; install the hooks in another directory"
    )]
    NotUtf8(PathBuf),
    /// Claude Code 2.1.332 replaces `${…}` in a hook's command, without a shell too.
    #[error(
        "{0:?}: the path contains \"${{\" or a control character, which the agent CLIs would not pass on unchanged; install the hooks in another directory"
    )]
    Unpassable(PathBuf),
}

impl Binaries {
    /// The programs in a directory, by absolute path. They need not exist yet.
    ///
    /// # Errors
    /// When the path is relative, or cannot be handed over unchanged.
    pub fn in_dir(dir: &Path) -> Result<Binaries, BadBinaries> {
        if !dir.is_absolute() {
            return Err(BadBinaries::Relative(dir.to_owned()));
        }
        let text = dir
            .to_str()
            .ok_or_else(|| BadBinaries::NotUtf8(dir.to_owned()))?;
        if text.contains("${") || text.contains(char::is_control) {
            return Err(BadBinaries::Unpassable(dir.to_owned()));
        }
        let text = text.trim_end_matches('/');
        Ok(Binaries {
            commands: Hook::ALL.map(|hook| format!("{text}/{}", hook.binary())),
        })
    }

    /// Bare names, to be found along `PATH`: what the ready files in `hooks/` say.
    pub fn on_path() -> Binaries {
        Binaries {
            commands: Hook::ALL.map(|hook| hook.binary().to_owned()),
        }
    }

    /// What to run for a hook.
    pub fn command(&self, hook: Hook) -> &str {
        let [relay, gate, beat] = &self.commands;
        match hook {
            Hook::RoomRelay => relay,
            Hook::StopGate => gate,
            Hook::Heartbeat => beat,
        }
    }
}
