//! Where the agent CLIs keep their configuration.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Whose configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The person's: every session.
    User,
    /// The project's: sessions in this directory.
    Project,
    /// The person's for one project: Claude Code's `settings.local.json`. Codex has no such file, and
    /// there it is the project's.
    Local,
}

/// The directories, as the CLIs themselves work them out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub claude_dir: PathBuf,
    /// `$CODEX_HOME` with its links resolved, else `~/.codex` as it is: so Codex
    /// 0.171.0 spells them in its trust keys.
    pub codex_dir: PathBuf,
    /// The project's directory, links resolved.
    pub project: PathBuf,
}

impl Places {
    /// From the environment (`var` looks a variable up) and the project's directory.
    /// `None` without a home directory.
    pub fn new(var: impl Fn(&str) -> Option<OsString>, project: &Path) -> Option<Places> {
        let dir = |name| {
            var(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let home = dir("HOME");
        let below_home = |name| home.as_ref().map(|home| home.join(name));
        Some(Places {
            claude_dir: dir("CLAUDE_CONFIG_DIR").or_else(|| below_home(".claude"))?,
            codex_dir: match dir("CODEX_HOME") {
                Some(dir) => fs::canonicalize(&dir).unwrap_or(dir),
                None => below_home(".codex")?,
            },
            project: fs::canonicalize(project).unwrap_or_else(|_| project.to_owned()),
        })
    }

    /// Claude Code's settings.
    pub fn claude_settings(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::User => self.claude_dir.join("settings.json"),
            Scope::Project => self.project.join(".claude/settings.json"),
            Scope::Local => self.project.join(".claude/settings.local.json"),
        }
    }

    /// Codex's hooks.
    pub fn codex_hooks(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::User => self.codex_dir.join("hooks.json"),
            Scope::Project | Scope::Local => self.project.join(".codex/hooks.json"),
        }
    }

    /// Codex's configuration; also where its trust in hooks is kept, always the user's.
    pub fn codex_config(&self) -> PathBuf {
        self.codex_dir.join("config.toml")
    }
}
