//! A plain line log on standard error (whoever starts the daemon sends it to `roomd.log`). Never a
//! message's words, never a credential.

use std::fmt;
use std::io::Write;

use room_protocol::Timestamp;

/// Writes one line. Control characters are escaped, so that it stays one line.
pub fn line(text: fmt::Arguments<'_>) {
    let mut line = format!("{} ", Timestamp::now());
    for c in text.to_string().chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    // A log that cannot be written is no reason to stop.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// `log!("…")`: one line in the log.
macro_rules! log {
    ($($arg:tt)*) => { $crate::log::line(format_args!($($arg)*)) };
}
pub(crate) use log;
