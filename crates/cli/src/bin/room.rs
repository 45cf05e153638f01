//! `room`: agent-room's command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    room_cli::main()
}
