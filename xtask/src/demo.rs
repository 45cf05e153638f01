//! `cargo xtask demo`: builds everything and shows the main job.

use std::process::Command;

use crate::steps::{build_dir, cargo, run};

/// Builds all binaries and runs `room demo` with them.
///
/// # Errors
/// The build or the demonstration failed.
pub fn demo() -> anyhow::Result<()> {
    run(cargo(&["build", "--workspace", "--bins"]))?;
    let mut room = Command::new(build_dir("debug")?.join("room"));
    room.arg("demo")
        .env_remove("RUN_ID")
        .env_remove("ROOM_HOME");
    run(room)
}
