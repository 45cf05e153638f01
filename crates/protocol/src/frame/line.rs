//! The line in brackets that stands before a message's words: its handle, who wrote it, when, and
//! what it refers to.

use std::fmt::Write as _;

use super::parts::{Piece, QUOTE};
use super::visible::{lines, visible};
use crate::{Author, AuthorKind, Handle, Message, RunId, Status};

/// Bytes of quoted handles that one frame line names; the rest is counted.
const QUOTES_BYTES: usize = 300;

/// How much a frame line tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    /// Whether it names what the message refers to, left out only where a context is tiny.
    pub full: bool,
    /// Whether the day stands before the time of day.
    pub date: bool,
    /// Whether a withdrawn or failed message is marked so.
    pub status: bool,
}

/// A name as it stands in a frame line: as it is when it is made of letters, digits, blanks and
/// `._-`, else in quotation marks, so that no name reads as a part of the frame.
fn name(author: &Author) -> String {
    let text = author.name.as_str();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-');
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("{:?}", Quoted(text))
    }
}

/// Quotes like a string literal, and nothing but `"` and `\` is escaped: a name has no controls.
struct Quoted<'a>(&'a str);

impl std::fmt::Debug for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            if matches!(c, '"' | '\\') {
                f.write_char('\\')?;
            }
            f.write_char(c)?;
        }
        f.write_char('"')
    }
}

fn kind(author: &Author, run: Option<&RunId>) -> String {
    match (&author.kind, &author.room) {
        _ if author.run.is_some() && author.run.as_ref() == run => "this run itself".to_owned(),
        (AuthorKind::Person, _) => "a person".to_owned(),
        (AuthorKind::Agent, Some(room)) => format!("an agent in room {room}, not a person"),
        (AuthorKind::Agent, None) => "an agent, not a person".to_owned(),
    }
}

fn quotes(out: &mut String, handles: &[Handle]) {
    let mut named = 0;
    let start = out.len();
    for handle in handles {
        let text = handle.to_string();
        if named > 0 && out.len() - start + text.len() > QUOTES_BYTES {
            break;
        }
        out.push_str(if named == 0 { ", quotes " } else { " and " });
        out.push_str(&text);
        named += 1;
    }
    if named < handles.len() {
        let _ = write!(out, " and {} more", handles.len() - named);
    }
}

/// The frame line of a message, or of a piece of it.
pub(super) fn line(
    m: &Message,
    piece: Option<&Piece>,
    again: bool,
    run: Option<&RunId>,
    style: Style,
) -> String {
    let mut out = format!("[{}", m.handle);
    if let Some(piece) = piece {
        let _ = write!(out, " part {} of {}", piece.part, piece.of);
        if piece.inside {
            out.push_str(" (continued)");
        }
    }
    let _ = write!(out, " from {}, {}, ", name(&m.author), kind(&m.author, run));
    if style.date {
        // RFC 3339: the date is its first ten characters.
        let _ = write!(out, "{:.10} ", m.sent_at.to_string());
    }
    let _ = write!(out, "{} UTC", m.sent_at.clock());
    if style.full {
        match &m.to {
            Some(to) if Some(to) == run => out.push_str(", for this run only"),
            Some(to) => {
                let _ = write!(out, ", for run {to} only");
            }
            None => {}
        }
        if let Some(handle) = &m.reply_to {
            let _ = write!(out, ", answers {handle}");
        }
        quotes(&mut out, &m.quotes);
    }
    if style.status && matches!(m.status, Status::Withdrawn | Status::Failed) {
        let _ = write!(out, ", {}", m.status);
    }
    if again {
        out.push_str(", may have been shown before");
    }
    out.push(']');
    out
}

/// Words, each line quoted and made visible; no break at the end.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (i, line) in lines(text).enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out.push_str(QUOTE);
        out.push_str(&visible(line));
    }
    out
}
