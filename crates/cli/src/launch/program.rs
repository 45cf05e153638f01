//! Which agent CLI a command line starts.

use std::ffi::OsString;
use std::path::Path;

/// The agent CLIs that are handed the hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Any other command: it only gets `RUN_ID` and `ROOM_HOME`.
    Other,
}

impl Program {
    /// By the program's base name.
    pub fn of(command: &[OsString]) -> Self {
        match base(command).as_str() {
            "claude" => Self::Claude,
            "codex" => Self::Codex,
            _ => Self::Other,
        }
    }

    /// Whether the command reads its prompt from standard input and needs no terminal: `claude -p`
    /// and `codex exec`. Of any other command that is believed.
    pub fn is_headless(self, command: &[OsString]) -> bool {
        let has = |words: &[&str]| {
            command
                .iter()
                .skip(1)
                .any(|arg| words.iter().any(|word| arg == word))
        };
        match self {
            Self::Claude => has(&["-p", "--print"]),
            Self::Codex => has(&["exec", "e"]),
            Self::Other => true,
        }
    }
}

/// The program's base name; empty for an empty command.
pub fn base(command: &[OsString]) -> String {
    let name = command.first().and_then(|word| Path::new(word).file_name());
    name.map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// A name for a CLI that may stand in listings and as a run's name: letters, digits, `.`, `_` and
/// `-`, 32 characters at most; `other` where nothing of it is left.
pub fn label(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let label: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .take(32)
        .collect();
    if label.chars().any(|c| c.is_ascii_alphanumeric()) {
        label
    } else {
        "other".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn clis_are_known_by_their_base_name() {
        for (words, program) in [
            (&["claude", "-p"][..], Program::Claude),
            (&["/a b/bin/codex"], Program::Codex),
            (&["/opt/claude/run"], Program::Other),
            (&["claude-wrapper"], Program::Other),
            (&[], Program::Other),
        ] {
            assert_eq!(Program::of(&command(words)), program, "{words:?}");
        }
    }

    #[test]
    fn headless_is_what_reads_its_prompt_from_standard_input() {
        for (words, headless) in [
            (&["claude", "--model", "x", "-p"][..], true),
            (&["claude"], false),
            (&["codex", "-c", "a=b", "exec"], true),
            (&["codex"], false),
            (&["cat"], true),
        ] {
            let command = command(words);
            let program = Program::of(&command);
            assert_eq!(program.is_headless(&command), headless, "{words:?}");
        }
    }

    #[test]
    fn labels_are_plain() {
        assert_eq!(label("sh"), "sh");
        assert_eq!(label("a b\u{1b}]"), "a-b--");
        assert_eq!(label("日本"), "other");
        assert_eq!(label(&"x".repeat(99)).len(), 32);
    }
}
