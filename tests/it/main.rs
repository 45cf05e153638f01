//! The built hooks against a real daemon, as an agent CLI runs them.

mod support;

mod beat;
mod explain;
mod fail_open;
mod gate;
mod gate_git;
mod inert;
mod interval;
mod killed;
mod once;
mod outbox;
mod proof;
mod relay;
mod session;
mod whole;
