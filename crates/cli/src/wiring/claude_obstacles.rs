//! What keeps Claude Code from running the hooks of a launch: looked for before the
//! launch, said, and left as it is.
//!
//! Tried on 2.1.332: under each of these no hook of a `--plugin-dir` runs, and Claude
//! Code does not say so in `-p`.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use serde::Serialize;

use super::config_files::config_files;
use super::jsonc::parse;
use super::places::Places;
use super::plan::AgentCli;

/// The variable that does what `--safe-mode` does.
pub const SAFE_MODE: &str = "CLAUDE_CODE_SAFE_MODE";

/// Hooks are off in this launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{what} switches Claude Code's hooks off: messages wait until you look with `room read`")]
pub struct Obstacle {
    /// An option, a variable, a line in a file.
    pub what: String,
}

/// Looks at the user's arguments, at [`SAFE_MODE`] and at the settings.
pub fn obstacles(user_args: &[OsString], safe_mode: bool, places: &Places) -> Vec<Obstacle> {
    let mut found = Vec::new();
    if safe_mode {
        found.push(format!("`{SAFE_MODE}`"));
    }
    let mut args = user_args
        .iter()
        .map(|arg| arg.to_string_lossy())
        .take_while(|arg| arg != "--");
    while let Some(arg) = args.next() {
        let settings = match arg.as_ref() {
            "--bare" | "--safe-mode" => {
                found.push(format!("your own `{arg}`"));
                None
            }
            "--settings" => args.next(),
            arg => arg
                .strip_prefix("--settings=")
                .map(|value| value.to_owned().into()),
        };
        if settings.is_some_and(|settings| disables_hooks(&settings_text(&settings))) {
            found.push("\"disableAllHooks\" in your own `--settings`".to_owned());
        }
    }
    found.extend(
        settings_that_disable_hooks(places)
            .map(|path| format!("\"disableAllHooks\" in {}", path.display())),
    );
    found.into_iter().map(|what| Obstacle { what }).collect()
}

/// `--settings` takes a file or the text itself.
fn settings_text(value: &str) -> String {
    if value.trim_start().starts_with('{') {
        value.to_owned()
    } else {
        fs::read_to_string(value).unwrap_or_default()
    }
}

/// The first of the settings that switches all hooks off.
pub fn switched_off(places: &Places) -> Option<PathBuf> {
    settings_that_disable_hooks(places).next()
}

fn settings_that_disable_hooks(places: &Places) -> impl Iterator<Item = PathBuf> {
    config_files(AgentCli::Claude, places)
        .into_iter()
        .map(|file| file.path)
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| disables_hooks(&text)))
}

/// Whether settings switch all hooks off.
pub(super) fn disables_hooks(settings: &str) -> bool {
    let root = parse(settings).ok().and_then(|parsed| parsed.root);
    root.and_then(|root| root.get_boolean("disableAllHooks").map(|off| off.value))
        .unwrap_or(false)
}
