use std::time::Duration;

use serde_json::Value;

use super::payload::{batch, claude, prompt, start, stop};

/// What a busy machine may add to a deadline, the start of a process included.
pub const SLACK: Duration = Duration::from_millis(1_500);
pub const AFTER_TOOL: Duration = Duration::from_millis(500);
pub const TURN: Duration = Duration::from_secs(2);

/// Every hook with an event of its own, and its deadline.
pub fn hooks() -> [(&'static str, Value, Duration); 5] {
    [
        ("room-relay", batch("t1"), AFTER_TOOL),
        ("room-relay", prompt("p1"), TURN),
        ("room-relay", start("startup"), TURN),
        ("stop-gate", stop(false), TURN),
        ("heartbeat", claude("PostToolUse-main"), AFTER_TOOL),
    ]
}
