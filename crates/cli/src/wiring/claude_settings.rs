//! Claude Code's settings: `~/.claude/settings.json` of the user, `.claude/settings.json`
//! of a project.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::binaries::Binaries;
use super::document::HookFile;
use super::install::{self, FileChange, WiringError};
use super::plan::{AgentCli, Features, Plan};
use super::reader::{Rejection, rejection};
use super::record::Records;

/// What was done for Claude Code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaudeReport {
    /// The settings file.
    pub settings: FileChange,
    /// Claude Code passes over the whole file as it stands: said, not repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<Rejection>,
    /// Settings that switch all of Claude Code's hooks off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switched_off: Option<PathBuf>,
}

/// Wires the hooks into a settings file.
///
/// # Errors
/// With the file unchanged.
pub fn install(
    settings: &Path,
    features: Features,
    binaries: &Binaries,
    records: &Records,
) -> Result<ClaudeReport, WiringError> {
    let plan = Plan::new(AgentCli::Claude, features, binaries, false);
    let settings = install::install(settings, &HookFile(&plan), records)?;
    Ok(report(settings))
}

/// Takes the hooks out of a settings file again.
///
/// # Errors
/// With the file unchanged.
pub fn uninstall(settings: &Path, records: &Records) -> Result<ClaudeReport, WiringError> {
    // Which plan does not matter: ours are recognised by their looks.
    let plan = Plan::new(
        AgentCli::Claude,
        Features::default(),
        &Binaries::on_path(),
        false,
    );
    let settings = install::uninstall(settings, &HookFile(&plan), records)?;
    Ok(ClaudeReport {
        settings,
        ignored: None,
        switched_off: None,
    })
}

fn report(settings: FileChange) -> ClaudeReport {
    ClaudeReport {
        ignored: settings
            .text
            .as_deref()
            .and_then(|text| rejection(AgentCli::Claude, text)),
        switched_off: None,
        settings,
    }
}
