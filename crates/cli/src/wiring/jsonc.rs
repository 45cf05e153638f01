//! Reading a JSON file that a person keeps: comments and trailing commas allowed,
//! positions kept, everything doubtful refused.

use std::collections::HashMap;
use std::fmt;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize;

/// A place in a text, counted from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset.
    pub fn of(text: &str, offset: usize) -> Position {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position {
            line: before.matches('\n').count() + 1,
            column: before[line_start..]
                .trim_start_matches('\u{feff}')
                .chars()
                .count()
                + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text is not one that we dare to edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Not JSON, not even with comments and trailing commas.
    #[error("{at}: {what}")]
    Syntax {
        /// Where.
        at: Position,
        /// What the parser says.
        what: String,
    },
    /// Readers disagree about which one counts.
    #[error("{at}: the key {key:?} is there twice")]
    DuplicateKey {
        /// Where the second one is.
        at: Position,
        /// The key.
        key: String,
    },
    /// Something else than an object or a list stands where hooks belong.
    #[error("{at}: {what} is {found}, not {expected}")]
    WrongType {
        /// Where.
        at: Position,
        /// Of what.
        what: String,
        /// What is there.
        found: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// Comments, but no value.
    #[error("there are only comments in it, no JSON object")]
    OnlyComments,
}

/// What a byte order mark looks like in a text.
pub const BOM: char = '\u{feff}';

/// A text, parsed. `root` is absent where there is nothing but white space.
pub struct Parsed<'a> {
    /// The text without a byte order mark.
    pub text: &'a str,
    /// The object at the root.
    pub root: Option<Object<'a>>,
}

/// Parses a text whose root is to be an object; an empty text is fine too.
///
/// # Errors
/// On bad syntax, a key given twice anywhere, a root that is no object.
pub fn parse(text: &str) -> Result<Parsed<'_>, Unreadable> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    let strict = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict).map_err(|error| {
        Unreadable::Syntax {
            at: Position::of(text, error.range().start),
            what: error.kind().to_string(),
        }
    })?;
    let Some(value) = parsed.value else {
        return if text.trim().is_empty() {
            Ok(Parsed { text, root: None })
        } else {
            Err(Unreadable::OnlyComments)
        };
    };
    refuse_duplicates(text, &value)?;
    match value {
        Value::Object(root) => Ok(Parsed {
            text,
            root: Some(root),
        }),
        other => Err(wrong_type(text, &other, "the whole file", "an object")),
    }
}

fn refuse_duplicates(text: &str, value: &Value<'_>) -> Result<(), Unreadable> {
    match value {
        Value::Object(object) => {
            let mut seen = HashMap::new();
            for property in &object.properties {
                let key = property.name.as_str();
                if seen.insert(key, ()).is_some() {
                    return Err(Unreadable::DuplicateKey {
                        at: Position::of(text, property.range.start),
                        key: key.to_owned(),
                    });
                }
                refuse_duplicates(text, &property.value)?;
            }
            Ok(())
        }
        Value::Array(array) => array
            .elements
            .iter()
            .try_for_each(|element| refuse_duplicates(text, element)),
        _ => Ok(()),
    }
}

/// The error for a value of the wrong kind.
pub fn wrong_type(
    text: &str,
    value: &Value<'_>,
    what: impl Into<String>,
    expected: &'static str,
) -> Unreadable {
    Unreadable::WrongType {
        at: Position::of(text, value.range().start),
        what: what.into(),
        found: kind(value),
        expected,
    }
}

fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}

/// The text of a string under a key.
pub fn get_str<'v>(object: &'v Object<'_>, key: &str) -> Option<&'v str> {
    object.get_string(key).map(|text| &*text.value)
}

/// Anything with brackets: what an edit needs to know of an object or a list.
#[derive(Debug, Clone)]
pub struct Bracketed {
    /// Offset of the opening bracket.
    pub open: usize,
    /// Offset of the closing bracket.
    pub close: usize,
    /// Start and end of each element (of an object: key and value).
    pub elements: Vec<(usize, usize)>,
}

impl Bracketed {
    /// Of an object.
    pub fn object(object: &Object<'_>) -> Bracketed {
        Bracketed {
            open: object.range.start,
            close: object.range.end - 1,
            elements: object
                .properties
                .iter()
                .map(|property| (property.range.start, property.range.end))
                .collect(),
        }
    }

    /// Of a list.
    pub fn array(array: &Array<'_>) -> Bracketed {
        Bracketed {
            open: array.range.start,
            close: array.range.end - 1,
            elements: array
                .elements
                .iter()
                .map(|element| (element.start(), element.end()))
                .collect(),
        }
    }

    /// What lies between two elements (or a bracket and one): `gap(0)` before the
    /// first, `gap(elements.len())` after the last.
    pub fn gap(&self, index: usize, text: &str) -> Gap {
        let start = match index.checked_sub(1) {
            Some(before) => self.elements[before].1,
            None => self.open + 1,
        };
        let end = self
            .elements
            .get(index)
            .map_or(self.close, |element| element.0);
        Gap::read(text, start, end)
    }
}

/// White space, comments and at most one comma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Offset of the comma.
    pub comma: Option<usize>,
    /// End of the last thing in it that is not white space; its start if there is none.
    pub solid_end: usize,
    /// Whether that last thing is a comment that only a line's end ends.
    pub ends_in_line_comment: bool,
    /// Whether there is a comment.
    pub has_comment: bool,
}

impl Gap {
    fn read(text: &str, start: usize, end: usize) -> Gap {
        let mut gap = Gap {
            start,
            end,
            comma: None,
            solid_end: start,
            ends_in_line_comment: false,
            has_comment: false,
        };
        let mut at = start;
        while let Some(c) = text[at..end].chars().next() {
            let rest = &text[at..end];
            let (length, line_comment) = if rest.starts_with("//") {
                (rest.find(['\n', '\r']).unwrap_or(rest.len()), true)
            } else if rest.starts_with("/*") {
                (rest.find("*/").map_or(rest.len(), |close| close + 2), false)
            } else if c == ',' {
                gap.comma = Some(at);
                (1, false)
            } else {
                at += c.len_utf8();
                continue;
            };
            gap.has_comment |= c == '/';
            gap.ends_in_line_comment = line_comment;
            at += length;
            gap.solid_end = at;
        }
        gap
    }
}
