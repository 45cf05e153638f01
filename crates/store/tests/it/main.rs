//! The storage boundary, sentence by sentence, on every implementation.

// What the tests' helpers cannot get is a failure of the test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conformance;
mod kit;
mod model;
mod sqlite;
