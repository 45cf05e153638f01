//! The files in which an agent CLI looks for hooks.

use std::fs;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::Object;
use serde::Serialize;
use toml_edit::Item;

use super::jsonc::{get_str, parse};
use super::places::{Places, Scope};
use super::plan::AgentCli;

/// What kind of place a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user's.
    User,
    /// The project's.
    Project,
    /// The user's for one project, Claude Code's `settings.local.json`.
    Local,
    /// An installed plugin's.
    Plugin,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigFile {
    /// What kind of place it is.
    pub origin: Origin,
    /// Where it is.
    pub path: PathBuf,
    /// How Codex spells it in the keys of its trust.
    pub source: String,
}

fn file(origin: Origin, path: PathBuf) -> ConfigFile {
    ConfigFile {
        origin,
        source: path.to_string_lossy().into_owned(),
        path,
    }
}

/// All files of a CLI that can have hooks, whether they exist or not; plugins where they
/// are installed and switched on.
pub fn config_files(cli: AgentCli, places: &Places) -> Vec<ConfigFile> {
    match cli {
        AgentCli::Claude => {
            let user = places.claude_settings(Scope::User);
            let project = places.claude_settings(Scope::Project);
            let local = places.claude_settings(Scope::Local);
            let plugins = claude_plugins(&places.claude_dir, &[&user, &project, &local]);
            let mut files = vec![
                file(Origin::User, user),
                file(Origin::Project, project),
                file(Origin::Local, local),
            ];
            files.extend(plugins);
            files.dedup_by(|one, other| one.path == other.path);
            files
        }
        AgentCli::Codex => {
            let mut files = vec![
                file(Origin::User, places.codex_hooks(Scope::User)),
                file(Origin::Project, places.codex_hooks(Scope::Project)),
            ];
            files.extend(codex_plugins(places));
            files.dedup_by(|one, other| one.path == other.path);
            files
        }
    }
}

/// From `plugins/installed_plugins.json`; `enabledPlugins` of the settings can switch
/// one off.
fn claude_plugins(dir: &Path, settings: &[&Path]) -> Vec<ConfigFile> {
    let installed = fs::read_to_string(dir.join("plugins/installed_plugins.json"));
    let Ok(text) = installed else {
        return Vec::new();
    };
    let Some(root) = parse(&text).ok().and_then(|parsed| parsed.root) else {
        return Vec::new();
    };
    let Some(plugins) = root.get_object("plugins") else {
        return Vec::new();
    };
    let enabled: Vec<String> = settings.iter().flat_map(|path| enabled_in(path)).collect();
    plugins
        .properties
        .iter()
        .filter(|plugin| enabled.iter().any(|name| name == plugin.name.as_str()))
        .filter_map(|plugin| plugin.value.as_array())
        .flat_map(|installs| installs.elements.iter())
        .filter_map(|install| get_str(install.as_object()?, "installPath"))
        .map(|path| file(Origin::Plugin, Path::new(path).join("hooks/hooks.json")))
        .filter(|file| file.path.exists())
        .collect()
}

fn enabled_in(settings: &Path) -> Vec<String> {
    let text = fs::read_to_string(settings).unwrap_or_default();
    let root: Option<Object<'_>> = parse(&text).ok().and_then(|parsed| parsed.root);
    root.as_ref()
        .and_then(|root| root.get_object("enabledPlugins"))
        .map(|plugins| {
            plugins
                .properties
                .iter()
                .filter(|plugin| plugin.value.as_boolean_lit().is_some_and(|on| on.value))
                .map(|plugin| plugin.name.as_str().to_owned())
                .collect()
        })
        .unwrap_or_default()
}

/// `[plugins."NAME@MARKETPLACE"] enabled = true`, copied to
/// `plugins/cache/MARKETPLACE/NAME/VERSION/`.
fn codex_plugins(places: &Places) -> Vec<ConfigFile> {
    let text = fs::read_to_string(places.codex_config()).unwrap_or_default();
    let Ok(config) = toml_edit::Document::parse(text.as_str()) else {
        return Vec::new();
    };
    let Some(plugins) = config.get("plugins").and_then(Item::as_table_like) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for (name, plugin) in plugins.iter() {
        let enabled = plugin
            .as_table_like()
            .and_then(|plugin| plugin.get("enabled"))
            .and_then(Item::as_bool);
        let Some((plugin, marketplace)) = name.split_once('@').filter(|_| enabled == Some(true))
        else {
            continue;
        };
        let cache = places.codex_dir.join("plugins/cache");
        let versions = fs::read_dir(cache.join(marketplace).join(plugin));
        for version in versions.into_iter().flatten().flatten() {
            let path = version.path().join("hooks/hooks.json");
            if path.exists() {
                files.push(ConfigFile {
                    origin: Origin::Plugin,
                    path,
                    source: format!("{name}:hooks/hooks.json"),
                });
            }
        }
    }
    files
}
