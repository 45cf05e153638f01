//! Putting pieces into a text and cutting pieces out of it, by byte offset.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A piece to put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Insertion {
    /// The offset in the text as it is before any insertion.
    pub at: usize,
    /// The piece.
    pub text: String,
}

/// The text with all pieces in it. They have to be in the order of their offsets.
pub fn insert(text: &str, insertions: &[Insertion]) -> String {
    let mut out = String::with_capacity(text.len() + 1024);
    let mut done = 0;
    for insertion in insertions {
        out.push_str(&text[done..insertion.at]);
        out.push_str(&insertion.text);
        done = insertion.at;
    }
    out.push_str(&text[done..]);
    out
}

/// The text without the ranges, which may overlap and come in any order.
pub fn cut(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges {
        if range.start > done {
            out.push_str(&text[done..range.start]);
        }
        done = done.max(range.end);
    }
    out.push_str(&text[done..]);
    out
}

/// Takes out exactly what was inserted, wherever the text has moved to since: only if
/// every piece is still there word for word, and as often as it was put in.
pub fn take_back(text: &str, pieces: &[String]) -> Option<String> {
    let mut ranges = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        if piece.is_empty() || pieces[..index].contains(piece) {
            continue;
        }
        let times = pieces.iter().filter(|other| *other == piece).count();
        let places: Vec<usize> = text
            .match_indices(piece.as_str())
            .map(|(at, _)| at)
            .collect();
        if places.len() != times {
            return None;
        }
        ranges.extend(places.iter().map(|at| *at..at + piece.len()));
    }
    ranges.sort_by_key(|range| range.start);
    let apart = ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
    (apart && !ranges.is_empty()).then(|| cut(text, ranges))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(text: &str, pieces: &[&str]) -> Option<String> {
        let pieces: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        take_back(text, &pieces)
    }

    #[test]
    fn pieces_are_taken_back_only_when_all_are_there_and_none_too_often() {
        assert_eq!(take("a<x>b<y>c", &["<x>", "<y>"]).as_deref(), Some("abc"));
        assert_eq!(take("a<x>b<x>c", &["<x>", "<x>"]).as_deref(), Some("abc"));
        assert_eq!(take("a<x>b<x>c", &["<x>"]), None, "which of the two?");
        assert_eq!(take("a<x>b", &["<x>", "<x>"]), None);
        assert_eq!(take("a<x>b", &["<x>", "<y>"]), None);
        assert_eq!(take("a<x>b", &["<x>", "x"]), None, "one within the other");
        assert_eq!(take("abc", &[""]), None, "nothing was put in");
    }

    #[test]
    fn cuts_may_overlap_and_come_in_any_order() {
        assert_eq!(cut("0123456789", vec![6..8, 1..4, 2..5, 3..3]), "0589");
    }
}
