//! Claude Code, per launch: a plugin directory for one session, no file of the user
//! touched. `--plugin-dir` adds up with what the user passes and has configured; a
//! second `--settings` would displace theirs (both seen with 2.1.332).

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::binaries::Binaries;
use super::hooks_add::Events;
use super::plan::{AgentCli, Features, Plan};

/// The name of the plugin that a person installs, as `/plugin` shows it.
pub const PLUGIN: &str = "agent-room";
/// The name of a launch's own: of two plugins of one name Claude Code loads only one.
pub const LAUNCH_PLUGIN: &str = "agent-room-launch";
const DESCRIPTION: &str =
    "Brings a room's messages into the run, and holds its stop while some are unread.";

/// The plugin could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the plugin for this launch, {path}: {source}")]
pub struct PluginError {
    /// Which file or directory.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// What both CLIs want to know of a plugin.
#[derive(Serialize)]
pub(super) struct Manifest {
    name: &'static str,
    version: &'static str,
    description: &'static str,
    author: Author,
    license: &'static str,
}

#[derive(Serialize)]
struct Author {
    name: &'static str,
}

impl Default for Manifest {
    fn default() -> Self {
        Manifest {
            name: PLUGIN,
            version: env!("CARGO_PKG_VERSION"),
            description: DESCRIPTION,
            author: Author { name: PLUGIN },
            license: "MIT OR Apache-2.0",
        }
    }
}

#[derive(Serialize)]
struct Hooks<'p> {
    description: &'static str,
    hooks: Events<'p>,
}

/// `.claude-plugin/plugin.json`, a line end at its end.
pub fn manifest() -> String {
    pretty(&Manifest::default())
}

/// `hooks/hooks.json` of a plan, a line end at its end.
pub fn hooks(plan: &Plan) -> String {
    pretty(&Hooks {
        description: DESCRIPTION,
        hooks: Events(&plan.events),
    })
}

pub(super) fn pretty(value: &impl Serialize) -> String {
    // Strings, numbers and lists of them under string keys: always JSON.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Writes the plugin into a directory (created when needed, what an earlier launch
/// wrote there is replaced) and returns the arguments that go before the user's own.
///
/// # Errors
/// When the directory or a file in it cannot be written.
pub fn arguments(
    dir: &Path,
    features: Features,
    binaries: &Binaries,
) -> Result<Vec<OsString>, PluginError> {
    let plan = Plan::new(AgentCli::Claude, features, binaries, true);
    let manifest = Manifest {
        name: LAUNCH_PLUGIN,
        ..Manifest::default()
    };
    put(
        &dir.join(".claude-plugin"),
        "plugin.json",
        &pretty(&manifest),
    )?;
    put(&dir.join("hooks"), "hooks.json", &hooks(&plan))?;
    Ok(vec!["--plugin-dir".into(), dir.into()])
}

fn put(dir: &Path, name: &str, text: &str) -> Result<(), PluginError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| PluginError { path, source }
    };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(failed(dir))?;
    let path = dir.join(name);
    fs::write(&path, text).map_err(failed(&path))
}
