//! Will the CLI itself read the file? It is stricter than we are, and silent about it.

use std::fmt;

use serde::Serialize;
use serde::de::IgnoredAny;

use super::jsonc::{BOM, Position, parse};
use super::plan::AgentCli;

/// Why a CLI passes over a whole file, our entries and the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rejection {
    /// Who.
    pub cli: AgentCli,
    /// Where the first offence is.
    pub at: Position,
    /// What it is.
    pub why: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} reads strict JSON here and passes over the whole file: {} ({})",
            self.cli.title(),
            self.why,
            self.at
        )
    }
}

/// What a CLI has against a hook file that we can read.
///
/// Tried on Claude Code 2.1.332 (`settings.json`: comments and trailing commas make it
/// drop the file without a word in `-p`; a byte order mark and an empty file are fine)
/// and on Codex 0.171.0 (`hooks.json`: those, a byte order mark, an empty file and
/// unknown keys beside `hooks` make it drop the file with a warning).
pub fn rejection(cli: AgentCli, text: &str) -> Option<Rejection> {
    let reject = |at, why: String| Some(Rejection { cli, at, why });
    let start = Position { line: 1, column: 1 };
    let bare = match (cli, text.strip_prefix(BOM)) {
        (AgentCli::Codex, Some(_)) => return reject(start, "a byte order mark".to_owned()),
        (_, rest) => rest.unwrap_or(text),
    };
    if bare.trim().is_empty() {
        return match cli {
            AgentCli::Claude => None,
            AgentCli::Codex => reject(start, "it is empty".to_owned()),
        };
    }
    if let Err(error) = serde_json::from_str::<IgnoredAny>(bare) {
        let at = Position {
            line: error.line(),
            column: error.column(),
        };
        let why = if parse(bare).is_ok() {
            "a comment or a trailing comma".to_owned()
        } else {
            error.to_string()
        };
        return reject(at, why);
    }
    if cli == AgentCli::Codex {
        let root = parse(bare).ok()?.root?;
        let known = ["description", "hooks"];
        let unknown = root
            .properties
            .iter()
            .find(|property| !known.contains(&property.name.as_str()))?;
        return reject(
            Position::of(bare, unknown.range.start),
            format!(
                "the key {:?}, which it does not know",
                unknown.name.as_str()
            ),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cli_has_its_own_taste() {
        let good = "{\n  \"hooks\": {}\n}\n";
        let cases: &[(&str, bool, bool)] = &[
            (good, true, true),
            ("\u{feff}{}", true, false),
            ("", true, false),
            ("// c\n{}", false, false),
            ("{\"hooks\": {},}", false, false),
            ("{\"model\": \"x\", \"hooks\": {}}", true, false),
            ("{\"description\": \"x\", \"hooks\": {}}", true, true),
            ("{", false, false),
        ];
        for (text, claude, codex) in cases {
            assert_eq!(
                rejection(AgentCli::Claude, text).is_none(),
                *claude,
                "{text:?}"
            );
            assert_eq!(
                rejection(AgentCli::Codex, text).is_none(),
                *codex,
                "{text:?}"
            );
        }
    }

    #[test]
    fn it_says_where() {
        let rejection = rejection(AgentCli::Claude, "{\n  // mine\n  \"hooks\": {}\n}").unwrap();
        assert_eq!(rejection.at, Position { line: 2, column: 3 });
    }
}
