//! The payload: read up to the end of one JSON value, never waiting for the end of the stream.
//!
//! An agent CLI writes the payload after it started the hook; a hook that leaves before is an EPIPE
//! for it, and some mark such a hook as failed. Others never close the stream.

use std::io::BufRead;
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

const CHUNK: usize = 16 * 1024;
/// What is drained at most behind a complete value: a host writes a line break there, if anything.
const TRAILING_CHUNKS: usize = 256;

/// Reads the payload, keeps its first `keep` bytes, and drains what else is there already. A
/// terminal is not read. Waits for as long as the value is incomplete: the alarm bounds that.
pub(crate) fn read(keep: usize) -> Vec<u8> {
    let input = rustix::stdio::stdin();
    let mut kept = Vec::new();
    if rustix::termios::isatty(input) {
        return kept;
    }
    let mut buffer = [0; CHUNK];
    let mut value = Value::default();
    while let Some(length) = next(input, &mut buffer) {
        let chunk = &buffer[..length];
        let wanted = keep.saturating_sub(kept.len()).min(length);
        kept.extend_from_slice(&chunk[..wanted]);
        if value.ends_in(chunk) {
            drain_ready(input, &mut buffer);
            break;
        }
    }
    kept
}

/// Reads the payload and keeps nothing.
pub(crate) fn drain() {
    read(0);
}

/// One read; `None` at the end, or when nothing can be read.
fn next(input: BorrowedFd<'_>, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match rustix::io::read(input, &mut *buffer) {
            Ok(0) => return None,
            Ok(length) => return Some(length),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                readable(input, None);
            }
            Err(_) => return None,
        }
    }
}

fn readable(input: BorrowedFd<'_>, timeout: Option<&Timespec>) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(input, PollFlags::IN)];
    poll(&mut fds, timeout).is_ok_and(|ready| ready > 0)
}

fn drain_ready(input: BorrowedFd<'_>, buffer: &mut [u8]) {
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    for _ in 0..TRAILING_CHUNKS {
        if !readable(input, Some(&at_once)) || next(input, buffer).is_none() {
            return;
        }
    }
}

/// Finds the end of the first JSON object or array of a stream: counts brackets outside of strings.
/// Anything else has no end that could be told from more to come.
#[derive(Debug, Default)]
struct Value {
    begun: bool,
    hopeless: bool,
    depth: usize,
    in_string: bool,
    /// The last chunk ended inside of a string with a backslash that escapes what comes next.
    escaping: bool,
}

impl Value {
    /// Takes the next bytes; `true` once the value is complete.
    fn ends_in(&mut self, mut bytes: &[u8]) -> bool {
        while !self.hopeless && !bytes.is_empty() {
            if self.in_string {
                bytes = self.behind_string(bytes);
                continue;
            }
            let byte = bytes[0];
            bytes = &bytes[1..];
            match byte {
                b'{' | b'[' => {
                    self.begun = true;
                    self.depth += 1;
                }
                b'}' | b']' if self.begun => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return true;
                    }
                }
                b'"' if self.begun => self.in_string = true,
                _ if self.begun || byte.is_ascii_whitespace() => {}
                _ => self.hopeless = true,
            }
        }
        false
    }

    /// What follows the string that `bytes` begin in. Strings are most of a large payload, so the
    /// library's own search finds their quotation marks.
    fn behind_string<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let mut rest = bytes;
        loop {
            let all = rest;
            // A slice never fails to be read.
            let length = rest.skip_until(b'"').unwrap_or(all.len());
            let text = all[..length].strip_suffix(b"\"");
            let before = text.unwrap_or(&all[..length]);
            let backslashes = before.iter().rev().take_while(|b| **b == b'\\').count();
            let goes_back = backslashes == before.len();
            let escaping = (backslashes + usize::from(goes_back && self.escaping)) % 2 == 1;
            self.escaping = escaping && text.is_none();
            if text.is_none() {
                return rest;
            }
            if !escaping {
                self.in_string = false;
                return rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    fn end(chunks: &[&str]) -> Option<usize> {
        let mut value = Value::default();
        chunks.iter().position(|c| value.ends_in(c.as_bytes()))
    }

    #[test]
    fn the_end_of_a_value_is_found_wherever_the_stream_is_cut() {
        assert_eq!(end(&["{}"]), Some(0));
        assert_eq!(end(&[" \n{\"a\":", "[1,{}]", "}", "more"]), Some(2));
        assert_eq!(end(&["{\"a\":\"}\\", "\"}", "\"}"]), Some(2));
        assert_eq!(end(&["{\"a\":\"\\\\\"}"]), Some(0));
        assert_eq!(
            end(&["[", &"[".repeat(10_000), &"]".repeat(10_001)]),
            Some(2)
        );
    }

    /// The same, a byte at a time.
    fn plainly(text: &[u8]) -> Option<usize> {
        let (mut depth, mut in_string, mut escaped) = (0, false, false);
        for (at, byte) in text.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' if !in_string => depth += 1,
                b'}' if !in_string => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    #[test]
    fn every_short_text_cut_anywhere() {
        const LETTERS: &[u8] = b"\"\\{}a";
        const LENGTH: u32 = 6;
        for number in 0..LETTERS.len().pow(LENGTH) {
            let mut text = b"{\"".to_vec();
            let mut left = number;
            for _ in 0..LENGTH {
                text.push(LETTERS[left % LETTERS.len()]);
                left /= LETTERS.len();
            }
            let expected = plainly(&text);
            for cut in 0..text.len() {
                let mut value = Value::default();
                let (first, second) = text.split_at(cut);
                let ended = value.ends_in(first) || value.ends_in(second);
                assert_eq!(ended, expected.is_some(), "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn what_is_no_object_has_no_end() {
        for text in [
            "",
            "   ",
            "hello {}",
            "}",
            "\"a\"",
            "17",
            "{\"a\"",
            "{\"a\":\"}",
        ] {
            assert_eq!(end(&[text]), None, "{text:?}");
        }
    }
}
