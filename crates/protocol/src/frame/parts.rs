//! Where a body is cut that is too long for one context.

use super::visible::{break_len, width};

/// What stands before each line of a body.
pub(super) const QUOTE: &str = "> ";
/// What a break costs: itself, and what stands before the next line.
const BREAK: usize = 1 + QUOTE.len();
/// Space in which any one character fits, quoted, with a break after it.
pub(super) const LEAST: usize = QUOTE.len() + "<U+E0041>".len() + BREAK;

/// The end of the piece of `body` that begins at `from` and takes at most `space` bytes when it is
/// quoted. At a line's end when there is one in the last quarter, else between two characters.
/// The piece is never empty while something is left, so that every part makes progress.
fn piece_end(body: &str, from: usize, space: usize) -> usize {
    // Kept free for a break right behind the last character that fits: it ends the piece's line and,
    // at the body's end, shows the empty line after it.
    let space = space.saturating_sub(BREAK);
    let mut used = QUOTE.len();
    let mut at = from;
    let mut line_end = None;
    while let Some(c) = body[at..].chars().next() {
        let skip = break_len(&body[at..]);
        // A break is printed only with the line after it.
        let cost = if skip > 0 { BREAK } else { width(c) };
        if used + cost > space && at > from {
            if skip > 0 {
                return at + skip;
            }
            return line_end
                .filter(|(_, used_there)| used_there * 4 >= space * 3)
                .map_or(at, |(end, _)| end);
        }
        used += cost;
        at += skip.max(c.len_utf8());
        if skip > 0 {
            line_end = Some((at, used));
        }
    }
    body.len()
}

/// The ends of all parts of a body when each takes at most `space` bytes, quoted. A pure function of
/// the two: an acknowledged offset is found again as a boundary, whoever computes it and when. At
/// least one end; the last is the body's.
pub(super) fn ends(body: &str, space: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    loop {
        at = piece_end(body, at, space);
        ends.push(at);
        if at >= body.len() {
            return ends;
        }
    }
}

/// The next piece of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its first byte.
    pub from: usize,
    /// The byte after its last.
    pub end: usize,
    /// Which part it belongs to, from 1.
    pub part: usize,
    /// How many parts there are.
    pub of: usize,
    /// It begins inside its part: the offset did not come from these boundaries.
    pub inside: bool,
}

impl Piece {
    /// The piece that continues a body at `offset`. An offset that points nowhere begins again, one
    /// inside a character goes back to its first byte: rather shown twice than lost.
    pub(super) fn next(body: &str, offset: u64, space: usize) -> Self {
        let mut from = usize::try_from(offset).unwrap_or(usize::MAX);
        if from >= body.len() {
            from = 0;
        }
        while !body.is_char_boundary(from) {
            from -= 1;
        }
        let ends = ends(body, space);
        // The empty body's one end is its beginning.
        let index = ends.partition_point(|end| *end <= from).min(ends.len() - 1);
        let begins = index.checked_sub(1).map_or(0, |before| ends[before]);
        Self {
            from,
            end: ends[index],
            part: index + 1,
            of: ends.len(),
            inside: from != begins,
        }
    }

    /// The words of the piece, without the break that it ends with.
    pub(super) fn text<'a>(&self, body: &'a str) -> &'a str {
        let text = &body[self.from..self.end];
        if self.end == body.len() {
            return text;
        }
        match text.char_indices().next_back() {
            Some((at, '\n')) if text[..at].ends_with('\r') => &text[..at - 1],
            Some((at, _)) if break_len(&text[at..]) > 0 => &text[..at],
            _ => text,
        }
    }

    /// Whether the piece ends in the middle of a line.
    pub(super) fn cuts_line(&self, body: &str) -> bool {
        self.end < body.len() && self.text(body).len() == self.end - self.from
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::visible::{lines, visible};
    use proptest::prelude::*;

    fn quoted(text: &str) -> usize {
        lines(text).map(|l| visible(l).len() + 3).sum::<usize>() - 1
    }

    #[test]
    fn an_empty_body_has_one_part() {
        let piece = Piece::next("", 0, 16);
        assert_eq!((piece.part, piece.of, piece.end), (1, 1, 0));
    }

    #[test]
    fn cuts_at_a_line_end_when_one_is_near() {
        assert_eq!(ends("aaaaaaa\nbbbb\ncccc", 19), [13, 17]);
        assert_eq!(ends("aaaaaaa\nbbbb\ncccc", 18), [8, 17]);
        assert_eq!(ends("aaaaaaaaaaaa", 11), [6, 12]);
        assert_eq!(ends("a\nbbbbbbbbbb", 13), [6, 12]);
        assert_eq!(ends("aaaaaa\nb", 11), [7, 8]);
        assert_eq!(ends("", 8), [0]);
    }

    proptest! {
        #[test]
        fn parts_cover_the_body_and_fit(
            body in "([a-z ]{0,30}(\r\n|\n|\r|\u{2028}|é|\u{1b}|\u{1f600}|\u{202e}))*[a-z]{0,80}",
            space in 16usize..120,
        ) {
            let mut offset = 0u64;
            let mut seen = String::new();
            let mut part = 0;
            loop {
                let piece = Piece::next(&body, offset, space);
                part += 1;
                prop_assert_eq!(piece.part, part);
                prop_assert!(!piece.inside);
                prop_assert!(quoted(piece.text(&body)) <= space, "{piece:?}");
                prop_assert!(!body[..piece.end].ends_with('\r') || !body[piece.end..].starts_with('\n'));
                seen.push_str(&body[piece.from..piece.end]);
                if piece.end == body.len() {
                    prop_assert_eq!(piece.of, part);
                    break;
                }
                prop_assert!(piece.end > piece.from);
                offset = piece.end as u64;
            }
            prop_assert_eq!(seen, body);
        }

        #[test]
        fn any_offset_continues_without_a_loss(body in "(\\PC|\n){1,200}", offset in 0u64..300) {
            let piece = Piece::next(&body, offset, 40);
            prop_assert!(piece.from as u64 <= offset);
            if offset < body.len() as u64 {
                prop_assert!(offset - (piece.from as u64) < 4);
            } else {
                prop_assert_eq!(piece.from, 0);
            }
            prop_assert!(piece.end > piece.from);
            prop_assert!(quoted(piece.text(&body)) <= 40);
        }
    }
}
