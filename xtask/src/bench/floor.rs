//! The floor that everything is compared with: a C program that does nothing, linked as ours are.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

use crate::steps::root;

/// The built floor.
pub struct Floor {
    /// The program.
    pub program: PathBuf,
    /// How it was made, for the report.
    pub commands: String,
}

/// Compiles the C no-op: static and position-independent, as rustc links the hooks.
///
/// # Errors
/// No C compiler, or it failed.
pub fn build() -> anyhow::Result<Floor> {
    let dir = root().join("target/bench");
    fs::create_dir_all(&dir)?;
    let (source, program) = (dir.join("noop.c"), dir.join("noop"));
    fs::write(&source, include_str!("noop.c"))?;
    let flags = ["-O2", "-static-pie", "-fPIE", "-s"];
    let status = Command::new("cc")
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status();
    let status = status.context("a C compiler (cc) is needed for the floor")?;
    if !status.success() {
        bail!("cc {} noop.c failed", flags.join(" "));
    }
    Ok(Floor {
        program,
        commands: format!("cc {} noop.c -o noop", flags.join(" ")),
    })
}
