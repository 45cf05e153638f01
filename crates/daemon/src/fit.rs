//! Keeps answers within what a client reads.

use std::io;

use room_protocol::limits::{ANSWER_BYTES, PAGE};
use serde::Serialize;

use crate::refusal::{Refusal, Result};

/// What a list may take of an answer: half of it leaves room for everything around it.
const LIST_BYTES: usize = ANSWER_BYTES / 2;
/// A page without a limit.
const DEFAULT: usize = 50;

/// A page's limit. Errors: 400 outside of 1 to [`PAGE`].
pub fn limit(asked: Option<usize>) -> Result<usize> {
    match asked {
        None => Ok(DEFAULT),
        Some(limit) if (1..=PAGE).contains(&limit) => Ok(limit),
        Some(limit) => Err(Refusal::invalid(format!(
            "limit={limit}: it is from 1 to {PAGE}"
        ))),
    }
}

/// Leaves as many of the first items as fit, at least one. Answers whether some were left out.
pub fn cut_end<T: Serialize>(items: &mut Vec<T>) -> bool {
    let whole = items.len();
    let fitting = fitting(items.iter());
    items.truncate(fitting);
    fitting < whole
}

/// Leaves as many of the last items as fit, at least one. Answers whether some were left out.
pub fn cut_start<T: Serialize>(items: &mut Vec<T>) -> bool {
    let out = items.len() - fitting(items.iter().rev());
    items.drain(..out);
    out > 0
}

fn fitting<'a, T: Serialize + 'a>(items: impl Iterator<Item = &'a T>) -> usize {
    let mut left = LIST_BYTES;
    let mut count = 0;
    for item in items {
        let size = json_bytes(item);
        if count > 0 && size > left {
            break;
        }
        left = left.saturating_sub(size);
        count += 1;
    }
    count
}

fn json_bytes<T: Serialize>(item: &T) -> usize {
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, item) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_fits_and_at_least_one() {
        let half = "x".repeat(LIST_BYTES / 2 - 2);
        let mut few = vec!["a".to_owned(), "b".to_owned()];
        assert!(!cut_end(&mut few) && few.len() == 2);
        let mut many = vec![half.clone(), half.clone(), "last".to_owned()];
        assert!(cut_end(&mut many));
        assert_eq!(many.len(), 2);
        let mut many = vec!["first".to_owned(), half.clone(), half];
        assert!(cut_start(&mut many));
        assert_eq!(many.len(), 2);
        let mut huge = vec!["x".repeat(LIST_BYTES + 1), "y".to_owned()];
        assert!(cut_end(&mut huge));
        assert_eq!(huge.len(), 1);
    }

    #[test]
    fn a_limit_has_bounds() {
        assert_eq!(limit(None).unwrap(), DEFAULT);
        assert_eq!(limit(Some(PAGE)).unwrap(), PAGE);
        assert!(limit(Some(0)).is_err());
        assert!(limit(Some(PAGE + 1)).is_err());
    }
}
