//! Names with a grammar: rooms, runs, authors and handles. A value of one of these types is valid.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::limits::NAME_CHARS;

/// Why a name was refused, in words for the person who typed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidName(String);

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidName {}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $check:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = InvalidName;
            fn from_str(text: &str) -> Result<Self, InvalidName> {
                $check(text)?;
                Ok(Self(text.to_owned()))
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidName;
            fn try_from(text: String) -> Result<Self, InvalidName> {
                $check(&text)?;
                Ok(Self(text))
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> String {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(
    /// A room's name: `[a-z0-9][a-z0-9._-]{0,63}`.
    RoomName,
    check_room
);
name!(
    /// A run's id: `[A-Za-z0-9][A-Za-z0-9_-]{0,127}`.
    RunId,
    check_run
);
name!(
    /// An author's or run's name: 1 to 64 characters, none of them a control, line-breaking,
    /// invisible or direction-changing one, and no blank at either end.
    AuthorName,
    check_author
);

/// `text` as a person may read it in an error, whatever it holds: bounded, controls escaped.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(80).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    format!("{cut:?}{dots}")
}

fn check_room(text: &str) -> Result<(), InvalidName> {
    let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let rest = |c: char| first(c) || matches!(c, '.' | '_' | '-');
    if text.starts_with(first) && text.len() <= 64 && text.chars().all(rest) {
        return Ok(());
    }
    Err(InvalidName(format!(
        "{} is not a room name: 1 to 64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit",
        shown(text)
    )))
}

fn check_run(text: &str) -> Result<(), InvalidName> {
    let first = |c: char| c.is_ascii_alphanumeric();
    let rest = |c: char| first(c) || matches!(c, '_' | '-');
    if text.starts_with(first) && text.len() <= 128 && text.chars().all(rest) {
        return Ok(());
    }
    Err(InvalidName(format!(
        "{} is not a run id: 1 to 128 of A-Z, a-z, 0-9, '_' and '-', beginning with a letter or digit",
        shown(text)
    )))
}

/// Characters that break a line, change direction or cannot be seen: none of them may stand in a
/// name, and in a body each is made visible.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn check_author(text: &str) -> Result<(), InvalidName> {
    let count = text.chars().count();
    if (1..=NAME_CHARS).contains(&count)
        && text.trim() == text
        && !text.chars().any(is_unprintable)
        && !text.contains(['[', ']'])
    {
        return Ok(());
    }
    Err(InvalidName(format!(
        "{} is not a name: 1 to {NAME_CHARS} printable characters on one line, no brackets, no blank at either end",
        shown(text)
    )))
}

/// A handle such as `demo/12`: names exactly one message everywhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Handle {
    /// The message's room.
    pub room: RoomName,
    /// The message's number, from 1.
    pub number: u64,
}

impl FromStr for Handle {
    type Err = InvalidName;
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let wrong = || {
            InvalidName(format!(
                "{} is not a handle: a room's name, '/', and a message's number, such as demo/12",
                shown(text)
            ))
        };
        let (room, number) = text.split_once('/').ok_or_else(wrong)?;
        let plain = !number.starts_with(['0', '+']) && number.len() <= 18;
        match (room.parse(), number.parse()) {
            (Ok(room), Ok(number)) if plain => Ok(Self { room, number }),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Handle {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, InvalidName> {
        text.parse()
    }
}

impl From<Handle> for String {
    fn from(handle: Handle) -> String {
        handle.to_string()
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.room, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_runs_authors_and_handles_keep_their_grammar() {
        for good in ["demo", "0", "a.b_c-d", &"a".repeat(64)] {
            assert!(good.parse::<RoomName>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "Demo",
            ".demo",
            "-x",
            "a/b",
            "a b",
            "ä",
            &"a".repeat(65),
            "a\n",
        ] {
            assert!(bad.parse::<RoomName>().is_err(), "{bad:?}");
        }
        for bad in [
            "",
            "-a",
            "_a",
            "a.b",
            "a/b",
            "../x",
            &"a".repeat(129),
            "a\0",
        ] {
            assert!(bad.parse::<RunId>().is_err(), "{bad:?}");
        }
        for good in ["ana", "Ana María", "小明", "codex-2"] {
            assert!(good.parse::<AuthorName>().is_ok(), "{good}");
        }
        for bad in [
            "",
            " a",
            "a\nb",
            "a\u{2028}b",
            "a\u{202e}b",
            "a]",
            &"x".repeat(65),
            "a\u{1b}[1m",
            "\u{200b}",
        ] {
            assert!(bad.parse::<AuthorName>().is_err(), "{bad:?}");
        }
        assert_eq!("demo/12".parse::<Handle>().unwrap().to_string(), "demo/12");
        for bad in [
            "demo",
            "demo/",
            "demo/0",
            "demo/012",
            "demo/+1",
            "demo/-1",
            "/1",
            "demo/1/2",
            "demo/9999999999999999999",
        ] {
            assert!(bad.parse::<Handle>().is_err(), "{bad:?}");
        }
    }
}
