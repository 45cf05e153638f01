//! The command line's tests, one file a subject.

// The lints' own exception for tests does not reach helpers.
#![allow(clippy::unwrap_used)]

mod wiring_codex;
mod home;
mod post;
mod wiring_faults;
mod wiring_files;
mod wiring_inspect;
mod wiring_launch;
mod wiring_property;
mod wiring_ready;
mod wiring_support;
