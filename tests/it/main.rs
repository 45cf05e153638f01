//! The built hooks against a real daemon, as an agent CLI runs them.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

mod beat;
mod explain;
mod fail_open;
mod gate;
mod gate_git;
mod inert;
mod interval;
// The released hooks cannot be told where to die.
#[cfg(debug_assertions)]
mod killed;
mod once;
mod outbox;
mod proof;
mod relay;
mod session;
mod stdio;
mod whole;
