//! How a verb fails: what is said on standard error, and the exit code.

use std::fmt::Display;
use std::io;

/// Not found, or refused.
pub const REFUSED: u8 = 1;
/// Used wrongly.
pub const USAGE: u8 = 2;
/// Try again later (`EX_TEMPFAIL` of sysexits.h): the daemon cannot be reached.
pub const TEMPORARY: u8 = 75;

/// Why a verb did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Not found, refused, or failed for good: exit code 1.
    Refused(String),
    /// The command line asks for what makes no sense: exit code 2.
    Usage(String),
    /// The daemon cannot be reached: exit code 75.
    Temporary(String),
    /// Whoever read our output has left. Nothing is wrong, and nothing more is to be said.
    Closed,
    /// All is said already; only the exit code is left.
    Status(u8),
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Refused(_) => REFUSED,
            Self::Usage(_) => USAGE,
            Self::Temporary(_) => TEMPORARY,
            Self::Closed => 0,
            Self::Status(code) => *code,
        }
    }

    /// What to say, where something is to be said.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Refused(text) | Self::Usage(text) | Self::Temporary(text) => Some(text),
            Self::Closed | Self::Status(_) => None,
        }
    }

    /// A failure to write the answer.
    pub fn of_output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::Refused(format!("cannot write the answer: {error}"))
        }
    }
}

/// Says where an error happened.
pub trait Context<T> {
    /// Makes an error a refusal: `what`, a colon, and the error.
    ///
    /// # Errors
    /// Every error of `self`, as [`Failure::Refused`].
    fn or_refuse(self, what: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn or_refuse(self, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| Failure::Refused(format!("{}: {error}", what())))
    }
}
