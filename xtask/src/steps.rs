//! Running one step of a chore: said before, timed, and its failure named.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

/// The workspace's root folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(PathBuf::new, Path::to_owned)
}

/// A `cargo` command in the workspace's root.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end, with its output passed through.
///
/// # Errors
/// It could not be started, or did not end with 0.
pub fn run(mut command: Command) -> anyhow::Result<()> {
    let line = shown(&command);
    crate::say(&format!("\n── {line}"));
    let begun = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("could not start: {line}"))?;
    if !status.success() {
        bail!("failed ({status}): {line}");
    }
    crate::say(&format!(
        "── done in {:.1} s",
        begun.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// A command as it would be typed.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    let words = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned());
    std::iter::once(name)
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Where cargo puts what it builds: `target/<host>/<profile>`, since the workspace names its target.
///
/// # Errors
/// This program does not lie in such a folder.
pub fn build_dir(profile: &str) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe().context("where this program lies")?;
    let target = here
        .parent()
        .and_then(Path::parent)
        .context("this program's build folder")?;
    Ok(target.join(profile))
}
