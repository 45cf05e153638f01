//! The command line's tests, one file a subject.

#![allow(clippy::unwrap_used)] // what tests share is test code too

mod daemon;
mod demo;
mod doctor;
mod help;
mod home;
mod inside;
mod install;
mod listing;
mod output;
mod post;
mod prompt;
mod read;
mod run;
mod run_signals;
mod start;
mod watch;
mod wiring_codex;
mod wiring_faults;
mod wiring_files;
mod wiring_inspect;
mod wiring_launch;
mod wiring_property;
mod wiring_ready;
mod wiring_support;
mod wiring_texts;
