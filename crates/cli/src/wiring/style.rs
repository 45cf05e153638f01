//! How a text is laid out, so that what we add looks like the rest.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::jsonc::Bracketed;

/// Indentation and line ends of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// One step of indentation.
    pub unit: String,
    /// `\n` or `\r\n`: the first one found counts.
    pub eol: &'static str,
}

impl Style {
    /// Looks at the first element that begins a line.
    pub fn of(text: &str, root: Option<&Bracketed>) -> Style {
        let eol = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let unit = root
            .and_then(|root| {
                let own = line_indent(text, root.open);
                let first = root
                    .elements
                    .iter()
                    .find(|element| begins_line(text, element.0))?;
                line_indent(text, first.0).strip_prefix(own)
            })
            .filter(|unit| !unit.is_empty())
            .unwrap_or("  ");
        Style {
            unit: unit.to_owned(),
            eol,
        }
    }

    /// A value over several lines, the first of which goes where the cursor is.
    pub fn render(
        &self,
        value: &impl Serialize,
        indent: &str,
    ) -> Result<String, serde_json::Error> {
        let mut out = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit.as_bytes());
        value.serialize(&mut Serializer::with_formatter(&mut out, formatter))?;
        // A line end inside a JSON string is always escaped.
        Ok(String::from_utf8_lossy(&out).replace('\n', &format!("{}{indent}", self.eol)))
    }

    /// The indentation of what is to be added to a container.
    pub fn child_indent(&self, text: &str, container: &Bracketed) -> String {
        container
            .elements
            .iter()
            .rev()
            .find(|element| begins_line(text, element.0))
            .map_or_else(
                || format!("{}{}", line_indent(text, container.open), self.unit),
                |element| line_indent(text, element.0).to_owned(),
            )
    }
}

/// The white space that the line of an offset begins with.
pub fn line_indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..offset];
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    &line[..blank]
}

/// Whether only white space stands before it on its line, and a line before that.
fn begins_line(text: &str, offset: usize) -> bool {
    text[..offset].trim_end_matches([' ', '\t']).ends_with('\n')
}
