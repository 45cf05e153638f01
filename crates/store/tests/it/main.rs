//! The storage boundary, sentence by sentence, on every implementation.

mod conformance;
mod kit;
mod model;
