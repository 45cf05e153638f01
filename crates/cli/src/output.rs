//! What a verb prints: lines for a person, or one JSON object a line.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use rustix::fs::fstat;
use serde::Serialize;

use crate::failure::Failure;

/// A colour, by its purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Names and handles.
    Name,
    /// What went well.
    Good,
    /// What waits.
    Waiting,
    /// What failed.
    Bad,
    /// What matters less.
    Faint,
}

/// Standard output.
pub struct Out {
    json: bool,
    colour: bool,
    to: BufWriter<StdoutLock<'static>>,
}

impl Out {
    /// Standard output; colours only where a terminal shows them and `NO_COLOR` is not set.
    pub fn stdout(json: bool) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            json,
            colour: io::stdout().is_terminal() && !set("NO_COLOR") && !dumb,
            to: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Whether JSON is wanted.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Prints a line as it is. Untrusted text in it must have been made safe already.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        writeln!(self.to, "{text}").map_err(|e| Failure::of_output(&e))
    }

    /// Prints one object on a line of its own. Control characters leave as `\u` escapes, so that
    /// the line acts on no terminal either.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn object(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = self.as_object(value)?;
        self.line(text)
    }

    /// What [`Self::object`] prints, without the line's end.
    ///
    /// # Errors
    /// When the value has no JSON form.
    pub fn as_object(&self, value: &impl Serialize) -> Result<String, Failure> {
        serde_json::to_string(value)
            .map(|text| escaped(&text))
            .map_err(|e| Failure::Refused(format!("cannot write the answer as JSON: {e}")))
    }

    /// Prints `value` as JSON where that is wanted, else what `text` makes of it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn either<T: Serialize>(
        &mut self,
        value: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), Failure> {
        if self.json {
            self.object(value)
        } else {
            let text = text(value);
            self.line(text)
        }
    }

    /// `text` in a colour, where colours are shown.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Name => "1",
            Paint::Good => "32",
            Paint::Waiting => "33",
            Paint::Bad => "31",
            Paint::Faint => "2",
        };
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Prints rows in aligned columns under a faint heading; the last column is not padded.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn table(&mut self, heading: &[&str], rows: &[Vec<Cell>]) -> Result<(), Failure> {
        let mut widths: Vec<usize> = heading.iter().map(|h| h.chars().count()).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.chars().count());
            }
        }
        let heading: Vec<Cell> = heading
            .iter()
            .map(|h| Cell::painted(Paint::Faint, *h))
            .collect();
        for row in std::iter::once(&heading).chain(rows) {
            let mut line = String::new();
            for (i, cell) in row.iter().enumerate() {
                let pad = widths[i] - cell.text.chars().count();
                line.push_str(&match cell.paint {
                    Some(paint) => self.paint(paint, &cell.text),
                    None => cell.text.clone(),
                });
                if i + 1 < row.len() {
                    line.push_str(&" ".repeat(pad + 2));
                }
            }
            self.line(line.trim_end())?;
        }
        Ok(())
    }

    /// Hands over all that was printed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.to.flush().map_err(|e| Failure::of_output(&e))
    }

    /// Whether anyone can read what is printed. A standard output that was closed is `/dev/null`
    /// by now: the runtime reopens it there.
    pub fn is_read(&self) -> bool {
        let null = |s: rustix::fs::Stat| {
            rustix::fs::FileType::from_raw_mode(s.st_mode).is_char_device()
                && rustix::fs::stat("/dev/null").is_ok_and(|n| n.st_rdev == s.st_rdev)
        };
        fstat(io::stdout()).is_ok_and(|s| !null(s))
    }
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    text: String,
    paint: Option<Paint>,
}

impl Cell {
    /// A cell in a colour.
    pub fn painted(paint: Paint, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            paint: Some(paint),
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            paint: None,
        }
    }
}

/// JSON text in which every character that acts on a terminal or hides is an escape. Such
/// characters stand only within strings.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if room_protocol::names::is_unprintable(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_value_and_acts_on_no_terminal() {
        let value = "a\u{1b}[31m\u{9b}\u{202e}\u{e0041}é\n\"\\";
        let text = escaped(&serde_json::to_string(value).unwrap());
        assert!(text.is_ascii() || text.contains('é'));
        assert!(!text.chars().any(room_protocol::names::is_unprintable));
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), value);
    }
}
