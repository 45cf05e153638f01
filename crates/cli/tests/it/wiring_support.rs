//! What the wiring's tests share: a private directory, and a maker of odd JSONC files.

use std::fs;
use std::path::{Path, PathBuf};

use room_cli::wiring::binaries::Binaries;
use room_cli::wiring::record::Records;
use tempfile::TempDir;

/// A home directory with nothing in it, and a place for records.
pub struct Place {
    pub dir: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn records(&self) -> Records {
        Records::in_dir(self.path("state/wiring"))
    }

    /// Names of everything in a directory.
    pub fn names(&self, dir: &str) -> Vec<String> {
        names(&self.path(dir))
    }
}

pub fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Programs at a path that no shell and no JSON likes.
pub fn odd_binaries() -> Binaries {
    Binaries::in_dir(Path::new("/opt/it's \"my\" $HOME \\ dir")).unwrap()
}

pub fn other_binaries() -> Binaries {
    Binaries::in_dir(Path::new("/usr/local/bin")).unwrap()
}

/// Bytes that decide what a generated text looks like; when they run out, the plainest.
pub struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices {
            bytes: bytes.iter(),
        }
    }

    fn pick(&mut self, of: usize) -> usize {
        self.bytes.next().map_or(0, |byte| usize::from(*byte) % of)
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.pick(of.len())]
    }
}

/// A settings file as some person or program might have left it.
pub fn settings_text(choices: &mut Choices<'_>) -> String {
    let eol = choices.one(&["\n", "\r\n"]);
    let mut text = String::new();
    if choices.pick(8) == 7 {
        text.push('\u{feff}');
    }
    if choices.pick(12) == 11 {
        return text + choices.one(&["", "\n", "  \r\n\t", "\n\n"]);
    }
    let mut writer = Writer { choices, eol, text };
    writer.gap(0);
    writer.root();
    writer.gap(0);
    writer.text
}

struct Writer<'c, 'a> {
    choices: &'c mut Choices<'a>,
    eol: &'static str,
    text: String,
}

const EVENTS: &[&str] = &[
    "Stop",
    "SessionStart",
    "PostToolUse",
    "PreToolUse",
    "PostToolBatch",
    "SessionEnd",
];

impl Writer<'_, '_> {
    /// White space and comments, as allowed between any two tokens.
    fn gap(&mut self, depth: usize) {
        let eol = self.eol;
        for _ in 0..self.choices.pick(3) {
            match self.choices.pick(9) {
                0 => self.text.push(' '),
                1 | 2 => {
                    self.text.push_str(eol);
                    let unit = self.choices.one(&["  ", "   ", "\t", ""]);
                    self.text.push_str(&unit.repeat(depth));
                }
                3 => self.text.push('\t'),
                4 => self.text.push_str("/* a, [b] {\"c\": 1} */"),
                5 => {
                    self.text.push_str("// it's \"mine\", ü");
                    self.text.push_str(eol);
                }
                6 => self.text.push_str("/**/"),
                _ => {
                    self.text.push_str(eol);
                    self.text.push_str(eol);
                }
            }
        }
    }

    fn list(
        &mut self,
        brackets: (char, char),
        depth: usize,
        count: usize,
        mut element: impl FnMut(&mut Self, usize),
    ) {
        self.text.push(brackets.0);
        self.gap(depth + 1);
        for index in 0..count {
            element(self, index);
            self.gap(depth + 1);
            if index + 1 < count || self.choices.pick(4) == 3 {
                self.text.push(',');
                self.gap(depth + 1);
            }
        }
        self.text.push(brackets.1);
    }

    fn key(&mut self, key: &str) {
        self.text.push_str(&serde_json::to_string(key).unwrap());
        self.gap(0);
        self.text.push(':');
        self.gap(0);
    }

    fn root(&mut self) {
        let count = self.choices.pick(4);
        let hooks_at = self.choices.pick(6);
        self.list(('{', '}'), 0, count, |writer, index| {
            if index == hooks_at {
                writer.key("hooks");
                writer.hooks();
            } else {
                writer.key(&format!("key {index} \u{1f600} \\ \""));
                writer.value(1);
            }
        });
    }

    fn hooks(&mut self) {
        let first = self.choices.pick(EVENTS.len());
        let count = self.choices.pick(EVENTS.len() + 1);
        self.list(('{', '}'), 1, count, |writer, index| {
            writer.key(EVENTS[(first + index) % EVENTS.len()]);
            let groups = writer.choices.pick(3);
            writer.list(('[', ']'), 2, groups, |writer, _| writer.group());
        });
    }

    fn group(&mut self) {
        let matcher = self.choices.pick(2);
        self.list(('{', '}'), 3, 1 + matcher, |writer, index| {
            if index == 1 {
                writer.key("matcher");
                writer.text.push_str("\"Bash|Edit\"");
            } else {
                writer.key("hooks");
                let handlers = writer.choices.pick(3);
                writer.list(('[', ']'), 4, handlers, |writer, _| {
                    writer.text.push_str(writer.choices.one(&[
                        r#"{"type": "command", "command": "mine.sh --cli claude"}"#,
                        r#"{"type":"command","command":"/usr/bin/heartbeat","timeout":7}"#,
                        r#"{"type": "command", "command": "/x/stop-gate", "args": ["--fast"]}"#,
                        r#"{"type": "prompt", "prompt": "room-relay --cli claude"}"#,
                    ]));
                });
            }
        });
    }

    fn value(&mut self, depth: usize) {
        match self.choices.pick(if depth < 4 { 7 } else { 5 }) {
            0 => self.text.push_str("true"),
            1 => self.text.push_str("null"),
            2 => self.text.push_str("-12.50e3"),
            3 => self.text.push_str(r#""a \"b\" \u00e9 é // no comment""#),
            4 => self.text.push_str("\"\""),
            5 => {
                let count = self.choices.pick(3);
                self.list(('[', ']'), depth, count, |writer, _| {
                    writer.value(depth + 1)
                });
            }
            _ => {
                let count = self.choices.pick(3);
                self.list(('{', '}'), depth, count, |writer, index| {
                    writer.key(&format!("k{index}"));
                    writer.value(depth + 1);
                });
            }
        }
    }
}
