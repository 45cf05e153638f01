//! A daemon of one's own, runs in it, and hooks started as an agent CLI starts them.

pub mod daemon;
pub mod deadline;
pub mod hook;
pub mod payload;

use std::time::{Duration, Instant};

/// How long a condition may take to come true, on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Looks until it is there; fails the test when it never is.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "never came: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
