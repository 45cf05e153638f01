//! The agent CLIs under test: pinned npm packages, kept under `target/clients/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use clap::ValueEnum;

/// An agent CLI that the suite drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum)]
pub enum Cli {
    Claude,
    Codex,
}

impl Cli {
    pub const ALL: [Self; 2] = [Self::Claude, Self::Codex];

    /// The command's name, also what `room` knows the CLI by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::Claude => "@anthropic-ai/claude-code",
            Self::Codex => "@openai/codex",
        }
    }

    /// The version whose hook contract the product was built to.
    fn version(self) -> &'static str {
        match self {
            Self::Claude => "2.1.332",
            Self::Codex => "0.171.0",
        }
    }
}

/// The two ways in which an installed CLI can be started.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The real program, named as the command is (`…/claude`, `…/codex`).
    pub native: PathBuf,
    /// npm's script, which starts the real program: as a child of its own
    /// (Claude Code; Codex on a Node without `process.execve`), so that the CLI is
    /// not the process that was started.
    pub wrapper: PathBuf,
}

/// Installs the pinned version unless it is there, and says where its programs are.
pub fn install(cli: Cli, clients: &Path) -> Result<Installed> {
    let prefix = clients.join(format!("{}-{}", cli.name(), cli.version()));
    if let Ok(found) = locate(cli, &prefix) {
        return Ok(found);
    }
    fs::create_dir_all(&prefix)?;
    let wanted = format!("{}@{}", cli.package(), cli.version());
    let status = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--no-save", "--loglevel=error", "--prefix"])
        .args([prefix.as_os_str(), wanted.as_ref()])
        .status()
        .context("npm cannot be started; install Node.js with npm first")?;
    ensure!(status.success(), "npm could not install {wanted}: {status}");
    locate(cli, &prefix)
}

fn locate(cli: Cli, prefix: &Path) -> Result<Installed> {
    let modules = prefix.join("node_modules");
    let package = modules.join(cli.package());
    let (native, wrapper) = match cli {
        Cli::Claude => (
            platform_package(&modules.join("@anthropic-ai"), "claude-code-")?.join("claude"),
            package.join("cli-wrapper.cjs"),
        ),
        Cli::Codex => {
            let vendor = platform_package(&modules.join("@openai"), "codex-")?.join("vendor");
            (
                only_entry(&vendor)?.join("bin/codex"),
                package.join("bin/codex.js"),
            )
        }
    };
    for file in [&native, &wrapper] {
        ensure!(file.is_file(), "{} is missing", file.display());
    }
    Ok(Installed { native, wrapper })
}

/// npm installs only the platform package that fits this machine.
fn platform_package(scope: &Path, prefix: &str) -> Result<PathBuf> {
    for entry in fs::read_dir(scope).with_context(|| format!("no {}", scope.display()))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            return Ok(entry.path());
        }
    }
    bail!("no platform package {prefix}* in {}", scope.display())
}

fn only_entry(dir: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(dir).with_context(|| format!("no {}", dir.display()))?;
    let entry = entries.next().context("an empty platform package")??;
    Ok(entry.path())
}
