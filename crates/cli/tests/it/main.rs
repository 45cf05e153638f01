//! The command line's tests, one file a subject.

mod wiring_faults;
mod wiring_files;
mod wiring_property;
mod wiring_ready;
mod wiring_support;
