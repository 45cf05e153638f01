//! The client against servers that behave and servers that do not; the run's directory against
//! whoever else may write to it.

mod calls;
mod dir;
mod events;
mod faults;
mod lock;
mod log;
mod note;
mod outbox;
mod server;
