//! The client against servers that behave and servers that do not; the run's directory against
//! whoever else may write to it.

// Helpers of tests are not seen as tests by the lint.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod calls;
mod dir;
mod events;
mod faults;
mod lock;
mod log;
mod note;
mod outbox;
mod server;
