//! Brings a room's waiting messages into a running agent's context.

use std::process::ExitCode;

use agent_room::Hook;

fn main() -> ExitCode {
    agent_room::run(Hook::Relay)
}
