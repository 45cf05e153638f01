//! Holds an agent's stop while messages wait for it.

use std::process::ExitCode;

use agent_room::Hook;

fn main() -> ExitCode {
    agent_room::run(Hook::Gate)
}
