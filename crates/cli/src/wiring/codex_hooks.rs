//! Codex's hook file: `~/.codex/hooks.json` of the user, `.codex/hooks.json` of a
//! project, and the trust without which Codex passes over it.

use std::path::Path;

use serde::Serialize;

use super::binaries::Binaries;
use super::codex_config::{CodexConfig, Trust, TrustEntries};
use super::codex_trust::{Identity, key};
use super::document::HookFile;
use super::edit_file::Snapshot;
use super::hooks_file::{Found, events, find, handlers, ours};
use super::install::{self, FileChange, Outcome, WiringError};
use super::jsonc::parse;
use super::places::{Places, Scope};
use super::plan::{AgentCli, Features, Plan};
use super::reader::{Rejection, rejection};
use super::record::Records;

/// What was done for Codex.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodexReport {
    /// The hook file.
    pub hooks: FileChange,
    /// Codex passes over the whole hook file as it stands: said, not repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<Rejection>,
    /// The configuration, where trust was written or taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<FileChange>,
    /// Our hooks that Codex will pass over until they are approved; [`HOW_TO_APPROVE`].
    pub to_approve: usize,
    /// The user's own hooks whose place in the file changed, and with it the key of
    /// their approval: Codex will ask about them again.
    pub to_approve_again: usize,
    /// Hooks stand in `config.toml` too; Codex reads both and warns at every start.
    pub two_sources: bool,
    /// What switches Codex's hooks off altogether.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switched_off: Option<&'static str>,
}

/// What to do about hooks that wait for approval.
pub const HOW_TO_APPROVE: &str = "start codex, which asks about them (later with /hooks), and approve them; or let `room install codex --trust` write the approval into Codex's config.toml. Until then `codex exec` passes over them without a word.";

/// Wires the hooks into a hook file; with `trust`, approves exactly these hooks in the
/// user's `config.toml`.
///
/// # Errors
/// With the file that the error names unchanged. Where that is the configuration, the
/// hook file is wired already.
pub fn install(
    places: &Places,
    scope: Scope,
    binaries: &Binaries,
    records: &Records,
    trust: bool,
) -> Result<CodexReport, WiringError> {
    let file = places.codex_hooks(scope);
    let config_file = places.codex_config();
    let config = Snapshot::read(&config_file)?;
    if trust {
        // Look before the first change: a configuration that is no TOML stops it all.
        CodexConfig::read(config.text()).map_err(|error| WiringError::Document {
            path: config_file.clone(),
            error,
        })?;
    }
    let before = groups_behind_ours(Snapshot::read(&file)?.text());
    let plan = Plan::new(AgentCli::Codex, Features::default(), binaries, false);
    let hooks = install::install(&file, &HookFile(&plan), records)?;
    let text = hooks.text.clone().unwrap_or_default();
    let source = file.to_string_lossy();
    let keys = keys(&source, &text);
    let config = if trust {
        let mut entries = trust_elsewhere(&config_file, &source, records)?;
        entries.extend(keys.clone());
        let entries = TrustEntries(entries);
        Some(install::install(&config_file, &entries, records)?)
    } else {
        None
    };
    let config_text = Snapshot::read(&config_file)?.text().to_owned();
    let read = CodexConfig::read(&config_text).ok();
    Ok(CodexReport {
        ignored: rejection(AgentCli::Codex, &text),
        to_approve: keys
            .iter()
            .filter(|(key, hash)| {
                read.as_ref()
                    .is_none_or(|config| config.trust(key, hash) != Trust::Trusted)
            })
            .count(),
        to_approve_again: match hooks.outcome {
            Outcome::Changed => before,
            _ => 0,
        },
        two_sources: read.as_ref().is_some_and(CodexConfig::has_inline_hooks),
        switched_off: read.as_ref().and_then(CodexConfig::hooks_off),
        hooks,
        config,
    })
}

/// Takes the hooks out of a hook file again, and the trust that `install` wrote.
///
/// # Errors
/// With the file that the error names unchanged.
pub fn uninstall(
    places: &Places,
    scope: Scope,
    records: &Records,
) -> Result<CodexReport, WiringError> {
    let file = places.codex_hooks(scope);
    let before = groups_behind_ours(Snapshot::read(&file)?.text());
    let config = uninstall_trust(places, &file.to_string_lossy(), records)?;
    // Which plan does not matter: ours are recognised by their looks.
    let plan = Plan::new(
        AgentCli::Codex,
        Features::default(),
        &Binaries::on_path(),
        false,
    );
    let hooks = install::uninstall(&file, &HookFile(&plan), records)?;
    Ok(CodexReport {
        ignored: None,
        to_approve: 0,
        to_approve_again: match hooks.outcome {
            Outcome::NotWired | Outcome::Removed => 0,
            _ => before,
        },
        two_sources: false,
        switched_off: None,
        config,
        hooks,
    })
}

/// Takes back the trust that a record says was written by us, that for the other hook
/// files excepted.
fn uninstall_trust(
    places: &Places,
    source: &str,
    records: &Records,
) -> Result<Option<FileChange>, WiringError> {
    let file = places.codex_config();
    if records.load(&Snapshot::read(&file)?.real).is_none() {
        return Ok(None);
    }
    let entries = TrustEntries(trust_elsewhere(&file, source, records)?);
    let change = if entries.0.is_empty() {
        install::uninstall(&file, &entries, records)?
    } else {
        install::install(&file, &entries, records)?
    };
    Ok(Some(change)
        .filter(|change| !matches!(change.outcome, Outcome::NotWired | Outcome::Unchanged)))
}

/// What we wrote for hooks in other files than this one.
fn trust_elsewhere(
    config: &Path,
    source: &str,
    records: &Records,
) -> Result<Vec<(String, String)>, WiringError> {
    let here = format!("{source}:");
    let known = records.load(&Snapshot::read(config)?.real);
    Ok(known.map_or_else(Vec::new, |(record, _)| {
        let mut trust = record.trust;
        trust.retain(|(key, _)| !key.starts_with(&here));
        trust
    }))
}

/// Key and hash of each of our hooks in a hook file. `source` is the file's path as
/// Codex spells it.
pub fn keys(source: &str, text: &str) -> Vec<(String, String)> {
    found(text)
        .iter()
        .map(|found| {
            let key = key(source, &found.event, found.group, found.handler);
            (key, Identity::of(found).hash())
        })
        .collect()
}

fn found(text: &str) -> Vec<Found> {
    parse(text)
        .ok()
        .and_then(|parsed| find(parsed.text, parsed.root.as_ref()).ok())
        .unwrap_or_default()
}

/// How many of the user's groups stand behind one of ours in their event's list: these
/// move up when ours go.
fn groups_behind_ours(text: &str) -> usize {
    let Ok(parsed) = parse(text) else { return 0 };
    let Some(Ok(Some((_, lists)))) = parsed.root.as_ref().map(|root| events(parsed.text, root))
    else {
        return 0;
    };
    lists
        .iter()
        .map(|list| {
            list.groups
                .elements
                .iter()
                .map(|group| {
                    handlers(group).is_some_and(|(_, list)| {
                        !list.elements.is_empty()
                            && list.elements.iter().all(|one| ours(one).is_some())
                    })
                })
                .skip_while(|all_ours| !all_ours)
                .filter(|all_ours| !all_ours)
                .count()
        })
        .sum()
}
