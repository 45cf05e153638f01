//! `cargo xtask test`: everything that CI runs.

use clap::Args as ClapArgs;

use crate::steps::{cargo, root, run};
use crate::{demo, dist};

/// Everything that CI runs.
#[derive(ClapArgs)]
pub struct Args {
    /// Leave out the real agent CLIs (they need npm and its registry).
    #[arg(long)]
    without_clients: bool,
}

/// Form, lints, tests, documentation, the demonstration, the release build and its installer, and the
/// real agent CLIs, in this order: what fails soonest comes first.
///
/// # Errors
/// The first step that failed.
pub fn test(args: &Args) -> anyhow::Result<std::process::ExitCode> {
    run(cargo(&["fmt", "--all", "--check"]))?;
    run(cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    run(cargo(&["test", "--workspace"]))?;
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    run(doc)?;
    demo::demo()?;
    let made = dist::dist()?;
    let mut installer = std::process::Command::new("sh");
    installer
        .arg("tests/install.sh")
        .arg(made)
        .current_dir(root());
    run(installer)?;
    if args.without_clients {
        crate::say("left out: the real agent CLIs");
        return Ok(std::process::ExitCode::SUCCESS);
    }
    // As a program of its own: the steps above have built this one anew, under its feet.
    run(cargo(&[
        "run",
        "--quiet",
        "--package",
        "xtask",
        "--",
        "clients",
    ]))?;
    Ok(std::process::ExitCode::SUCCESS)
}
