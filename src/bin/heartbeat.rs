//! Tells the room's daemon that a run lives.

use std::process::ExitCode;

use agent_room::Hook;

fn main() -> ExitCode {
    agent_room::run(Hook::Beat)
}
