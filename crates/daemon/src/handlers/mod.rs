//! One file per verb.

pub mod lane;
pub mod operator;

mod fallback;

pub use fallback::{no_path, no_such_method};
