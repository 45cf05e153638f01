//! Codex's `config.toml`: whether it trusts a hook, and (only when asked) saying so.
//!
//! Trust is written as tables at the end of the file, and every other byte stays.

use serde::Serialize;
use toml_edit::{Document as Parsed, DocumentMut, Item, TableLike};

use super::document::{Document, DocumentError, Known};
use super::jsonc::Position;
use super::splice::take_back;

/// What Codex does with a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Runs it.
    Trusted,
    /// Skips it without a word in `codex exec`, asks in the TUI.
    Untrusted,
    /// The same: what was approved once was another hook, or this one before a change.
    Modified,
    /// The user switched it off.
    Disabled,
}

fn parse(text: &str) -> Result<Parsed<&str>, DocumentError> {
    Parsed::parse(text).map_err(|error| toml_error(text, &error))
}

fn toml_error(text: &str, error: &toml_edit::TomlError) -> DocumentError {
    DocumentError::Toml {
        at: Position::of(text, error.span().map_or(0, |span| span.start)),
        what: error.message().to_owned(),
    }
}

fn state<'d>(root: &'d dyn TableLike, key: &str) -> Option<&'d dyn TableLike> {
    root.get("hooks")?
        .as_table_like()?
        .get("state")?
        .as_table_like()?
        .get(key)?
        .as_table_like()
}

/// What a configuration says about hooks.
pub struct CodexConfig<'t> {
    parsed: Parsed<&'t str>,
}

impl<'t> CodexConfig<'t> {
    /// Reads a `config.toml`.
    ///
    /// # Errors
    /// When it is not TOML.
    pub fn read(text: &'t str) -> Result<CodexConfig<'t>, DocumentError> {
        Ok(CodexConfig {
            parsed: parse(text)?,
        })
    }

    /// Whether it trusts the hook under a key with a hash.
    pub fn trust(&self, key: &str, hash: &str) -> Trust {
        let Some(entry) = state(self.parsed.as_table(), key) else {
            return Trust::Untrusted;
        };
        if entry.get("enabled").and_then(Item::as_bool) == Some(false) {
            return Trust::Disabled;
        }
        match entry.get("trusted_hash").and_then(Item::as_str) {
            None => Trust::Untrusted,
            // A plugin's has a second half, over all its files.
            Some(trusted) if trusted.split('/').next() == Some(hash) => Trust::Trusted,
            Some(_) => Trust::Modified,
        }
    }

    /// The line that switches all hooks off, if there is one.
    pub fn hooks_off(&self) -> Option<&'static str> {
        let features = self.parsed.get("features")?.as_table_like()?;
        let off = |name| features.get(name).and_then(Item::as_bool) == Some(false);
        [
            ("hooks", "features.hooks = false"),
            ("codex_hooks", "features.codex_hooks = false"),
        ]
        .into_iter()
        .find_map(|(name, line)| off(name).then_some(line))
    }

    /// Whether hooks stand here too: with a `hooks.json` beside it Codex warns about
    /// two places, though it reads both.
    pub fn has_inline_hooks(&self) -> bool {
        self.parsed
            .get("hooks")
            .and_then(Item::as_table_like)
            .is_some_and(|hooks| hooks.iter().any(|(key, _)| key != "state"))
    }
}

/// Trust to be written: key and hash of each hook.
pub struct TrustEntries(pub Vec<(String, String)>);

impl Document for TrustEntries {
    fn is_wired(&self, text: &str, known: Known<'_>) -> Result<bool, DocumentError> {
        let none_too_many =
            known.is_none_or(|(record, _)| record.trust.iter().all(|entry| self.0.contains(entry)));
        CodexConfig::read(text)?;
        Ok(none_too_many && self.is_trusted_in(text))
    }

    fn without(&self, text: &str, known: Known<'_>) -> Result<String, DocumentError> {
        let Some((record, _)) = known else {
            return Ok(text.to_owned());
        };
        let config = CodexConfig::read(text)?;
        // What no longer says what we wrote is no longer ours.
        let ours: Vec<&str> = record
            .trust
            .iter()
            .filter(|(key, hash)| {
                matches!(config.trust(key, hash), Trust::Trusted | Trust::Disabled)
            })
            .map(|(key, _)| key.as_str())
            .collect();
        if ours.is_empty() {
            return Ok(text.to_owned());
        }
        let (edited, expected) = removed(text, &ours)?;
        let same = |candidate: &str| {
            let parsed = candidate.parse::<DocumentMut>();
            parsed.is_ok_and(|document| leaves(document.as_table()) == expected)
        };
        if let Some(taken) = take_back(text, &record.pieces)
            && same(&taken)
        {
            return Ok(taken);
        }
        if only_deletes(text, &edited) && same(&edited) {
            return Ok(edited);
        }
        Err(DocumentError::Toml {
            at: Position { line: 1, column: 1 },
            what: format!(
                "the trust for {} cannot be taken out without touching the rest; remove these tables by hand",
                ours.join(", ")
            ),
        })
    }

    fn with(&self, text: &str) -> Result<(String, Vec<String>), DocumentError> {
        let mut changed = text.to_owned();
        let mut missing = Vec::new();
        for (key, hash) in &self.0 {
            let parsed = parse(&changed)?;
            match state(parsed.as_table(), key).and_then(|entry| entry.get("trusted_hash")) {
                None => missing.push((key, hash)),
                Some(old) if old.as_str() == Some(hash) => {}
                Some(old) => {
                    let span = old.span().unwrap_or_default();
                    changed.replace_range(span, &format!("\"{hash}\""));
                }
            }
        }
        let pieces = tables(&changed, &missing);
        let with = format!("{changed}{}", pieces.concat());
        // Fails where `hooks.state` is written as an inline or a dotted table.
        if parse(&with).is_ok() && self.is_trusted_in(&with) {
            return Ok((with, pieces));
        }
        let with = inserted(&changed, &missing)?;
        if only_deletes(&with, &changed) && self.is_trusted_in(&with) {
            return Ok((with, Vec::new()));
        }
        Err(DocumentError::Toml {
            at: Position { line: 1, column: 1 },
            what: "\"hooks.state\" is written in a form that cannot be added to without touching the rest; start codex and approve the hooks with /hooks instead".to_owned(),
        })
    }

    fn says_nothing(&self, text: &str) -> bool {
        text.trim().is_empty()
    }

    fn trust(&self) -> Vec<(String, String)> {
        self.0.clone()
    }
}

impl TrustEntries {
    /// Written, and not switched off by the user: that stays theirs to decide.
    fn is_trusted_in(&self, text: &str) -> bool {
        CodexConfig::read(text).is_ok_and(|config| {
            self.0.iter().all(|(key, hash)| {
                matches!(config.trust(key, hash), Trust::Trusted | Trust::Disabled)
            })
        })
    }
}

/// One piece of text per entry, each with its own header.
fn tables(text: &str, entries: &[(&String, &String)]) -> Vec<String> {
    let eol = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let mut ends_line = text.is_empty() || text.ends_with('\n');
    let mut first = text.is_empty();
    entries
        .iter()
        .map(|(key, hash)| {
            let end = if ends_line { "" } else { eol };
            let gap = if first { "" } else { eol };
            (ends_line, first) = (true, false);
            // A JSON string without control characters is a TOML basic string too.
            let key = serde_json::Value::from(key.as_str());
            format!("{end}{gap}[hooks.state.{key}]{eol}trusted_hash = \"{hash}\"{eol}")
        })
        .collect()
}

fn inserted(text: &str, entries: &[(&String, &String)]) -> Result<String, DocumentError> {
    let mut document: DocumentMut = text.parse().map_err(|error| toml_error(text, &error))?;
    for (key, hash) in entries {
        let mut table = toml_edit::InlineTable::new();
        table.insert("trusted_hash", hash.as_str().into());
        let state = document
            .get_mut("hooks")
            .and_then(Item::as_table_like_mut)
            .and_then(|hooks| hooks.get_mut("state"))
            .and_then(Item::as_table_like_mut);
        if let Some(state) = state {
            state.insert(key, toml_edit::value(table));
        }
    }
    Ok(line_ends_of(text, document.to_string()))
}

/// The text without the entries as `toml_edit` writes it, and the values that must stay.
fn removed(text: &str, keys: &[&str]) -> Result<(String, Leaves), DocumentError> {
    let mut document: DocumentMut = text.parse().map_err(|error| toml_error(text, &error))?;
    if let Some(state) = document
        .get_mut("hooks")
        .and_then(Item::as_table_like_mut)
        .and_then(|hooks| hooks.get_mut("state"))
        .and_then(Item::as_table_like_mut)
    {
        for key in keys {
            state.remove(key);
        }
    }
    let expected = leaves(document.as_table());
    Ok((line_ends_of(text, document.to_string()), expected))
}

/// `toml_edit` ends every line of a key with `\n`.
fn line_ends_of(text: &str, edited: String) -> String {
    let all_crlf = text.contains('\n') && !text.replace("\r\n", "").contains('\n');
    if all_crlf {
        edited.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        edited
    }
}

/// Whether a text is the other with pieces taken out.
fn only_deletes(long: &str, short: &str) -> bool {
    let mut long = long.bytes();
    short.bytes().all(|byte| long.any(|other| other == byte))
}

type Leaves = Vec<(String, String)>;

/// Every value with its path, whichever way its tables are written.
fn leaves(root: &dyn TableLike) -> Leaves {
    fn walk(path: &str, table: &dyn TableLike, out: &mut Leaves) {
        for (key, item) in table.iter() {
            let path = format!("{path}.{key:?}");
            if let Some(table) = item.as_table_like() {
                walk(&path, table, out);
            } else if let Some(tables) = item.as_array_of_tables() {
                for (index, table) in tables.iter().enumerate() {
                    walk(&format!("{path}[{index}]"), table, out);
                }
            } else {
                out.push((path, item.to_string().trim().to_owned()));
            }
        }
    }
    let mut out = Vec::new();
    walk("", root, &mut out);
    out.sort();
    out
}
