//! Untrusted text made safe to print: where its lines end, and what is shown in place of characters
//! that nobody could see or that would act on a terminal.
//!
//! One scheme everywhere: such a character is shown as its code point, `<U+001B>`. A tab stays.

use std::fmt::Write as _;

use crate::names::is_unprintable;

/// The bytes of the line break that `text` begins with; 0 when it begins with none.
///
/// Every break that Unicode knows (UAX #14: BK, CR, LF, NL) counts, `\r\n` as one: whatever a
/// reader takes for a new line is one here too, and gets the quoting prefix.
pub(super) fn break_len(text: &str) -> usize {
    match text.chars().next() {
        Some('\r') if text[1..].starts_with('\n') => 2,
        Some(c @ ('\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')) => {
            c.len_utf8()
        }
        _ => 0,
    }
}

/// The lines of a text, without their breaks. A text that ends with a break has an empty last line,
/// and the empty text has one empty line.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let all = rest?;
        let end = all
            .char_indices()
            .map(|(i, _)| (i, break_len(&all[i..])))
            .find(|(_, len)| *len > 0);
        Some(match end {
            Some((at, len)) => {
                rest = Some(&all[at + len..]);
                &all[..at]
            }
            None => {
                rest = None;
                all
            }
        })
    })
}

/// Whether a character of a body is shown as its code point.
fn is_hidden(c: char) -> bool {
    // Variation selectors carry hidden text as well as tags do; the two that choose between an
    // emoji and its text form stay.
    c != '\t' && (is_unprintable(c) || matches!(c, '\u{fe00}'..='\u{fe0d}'))
}

/// The bytes that a character takes in [`visible`] text.
pub(super) fn width(c: char) -> usize {
    if is_hidden(c) {
        let digits = (u32::BITS - u32::from(c).leading_zeros())
            .div_ceil(4)
            .max(4);
        "<U+>".len() + digits as usize
    } else {
        c.len_utf8()
    }
}

fn push(out: &mut String, c: char) {
    if is_hidden(c) {
        // Writing to a String cannot fail.
        let _ = write!(out, "<U+{:04X}>", u32::from(c));
    } else {
        out.push(c);
    }
}

/// One line of untrusted text with everything visible: control, direction-changing and invisible
/// characters are shown as code points (`<U+202E>`), line breaks too; tabs stay.
pub fn visible(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    line.chars().for_each(|c| push(&mut out, c));
    out
}

/// Untrusted text on one line of a person's terminal: line breaks are shown as ` ⏎ `, tabs as a
/// blank, everything else as [`visible`] shows it.
pub fn terminal(text: &str) -> String {
    preview(text, usize::MAX)
}

/// The beginning of a text as [`terminal`] shows it, in at most `chars` characters, the `…` that
/// says that something was left out included. A code point is never cut.
pub fn preview(text: &str, chars: usize) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut length = 0usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = break_len(rest);
        let piece = match (skip, c) {
            (0, '\t') => " ".to_owned(),
            (0, c) => visible(c.encode_utf8(&mut [0; 4])),
            _ => " ⏎ ".to_owned(),
        };
        length = length.saturating_add(piece.chars().count());
        shown.push(piece);
        if length > chars {
            break;
        }
        rest = &rest[skip.max(c.len_utf8())..];
    }
    if length > chars {
        while length > chars.saturating_sub(1) {
            let Some(piece) = shown.pop() else { break };
            length -= piece.chars().count();
        }
        if chars > 0 {
            shown.push("…".to_owned());
        }
    }
    shown.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_unicode_break_ends_a_line() {
        let text = "a\nb\r\nc\rd\u{b}e\u{c}f\u{85}g\u{2028}h\u{2029}i\n\r";
        let found: Vec<_> = lines(text).collect();
        assert_eq!(found, ["a", "b", "c", "d", "e", "f", "g", "h", "i", "", ""]);
        assert_eq!(lines("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn what_cannot_be_seen_is_named() {
        assert_eq!(
            visible("\u{1b}[31mred\u{7}\t\u{202e}x\u{200b}\u{e0041}\u{fe01}\u{10ffff}é❤\u{fe0f}"),
            "<U+001B>[31mred<U+0007>\t<U+202E>x<U+200B><U+E0041><U+FE01>\u{10ffff}é❤\u{fe0f}"
        );
    }

    #[test]
    fn a_listing_has_one_line() {
        assert_eq!(terminal("a\r\nb\tc\u{9b}2J"), "a ⏎ b c<U+009B>2J");
        assert_eq!(preview("abcdef", 6), "abcdef");
        assert_eq!(preview("abcdefg", 6), "abcde…");
        assert_eq!(preview("ab\u{1b}cd", 9), "ab…");
        assert_eq!(preview("ab", 0), "");
    }

    proptest! {
        #[test]
        fn widths_are_what_is_printed(c in any::<char>()) {
            prop_assert_eq!(width(c), visible(&c.to_string()).len());
        }

        #[test]
        fn nothing_acts_on_a_terminal(text in "\\PC*|.*|[\\x00-\\x20\\x7f-\\xa0]*", n in 0usize..40) {
            let all = terminal(&text);
            prop_assert!(!all.chars().any(is_hidden), "{all:?}");
            prop_assert!(!all.contains('\t'));
            let cut = preview(&text, n);
            prop_assert!(cut.chars().count() <= n);
            prop_assert!(all == cut || all.starts_with(cut.trim_end_matches('…')));
        }
    }
}
