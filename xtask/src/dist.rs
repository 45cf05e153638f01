//! `cargo xtask dist`: the binaries as users get them, in `target/dist/`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::steps::{build_dir, cargo, root, run};

/// The hooks: small, static, nothing but a libc below them.
pub const HOOKS: [&str; 3] = ["room-relay", "stop-gate", "heartbeat"];
/// Everything else that is installed.
const OTHERS: [&str; 2] = ["room", "roomd"];
/// A static glibc hook stays below this, in bytes.
const HOOK_BYTES: u64 = 2_000_000;

/// Builds in release mode, checks size and linking, and puts a folder together that `install.sh`
/// installs from. Answers that folder.
///
/// # Errors
/// A build failed, or a hook is too large or not static.
pub fn dist() -> anyhow::Result<PathBuf> {
    // By themselves: in one build with the rest, features of the rest would be compiled into them.
    run(cargo(&[
        "build",
        "--release",
        "--package",
        "agent-room",
        "--bins",
    ]))?;
    run(cargo(&[
        "build",
        "--release",
        "--package",
        "room",
        "--package",
        "roomd",
        "--bins",
    ]))?;
    let from = build_dir("release")?;
    let name = format!(
        "agent-room-{}-{}-{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS
    );
    let to = root().join("target/dist").join(name);
    if to.exists() {
        fs::remove_dir_all(&to).with_context(|| format!("removing {}", to.display()))?;
    }
    fs::create_dir_all(to.join("bin")).with_context(|| format!("making {}", to.display()))?;
    for binary in HOOKS.iter().chain(&OTHERS) {
        copy(&from.join(binary), &to.join("bin").join(binary))?;
        let image = fs::read(to.join("bin").join(binary))?;
        let linked = if is_static(&image) {
            "static"
        } else {
            "dynamic"
        };
        crate::say(&format!("{binary:<12} {:>9} bytes, {linked}", image.len()));
        if HOOKS.contains(binary) && cfg!(target_os = "linux") && linked != "static" {
            bail!("{binary} is linked dynamically; a hook has to run wherever an agent does");
        }
        if HOOKS.contains(binary) && image.len() as u64 >= HOOK_BYTES {
            bail!(
                "{binary} has {} bytes; the bound is {HOOK_BYTES}",
                image.len()
            );
        }
    }
    for text in [
        "install.sh",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        copy(&root().join(text), &to.join(text))?;
    }
    for folder in ["docs", "hooks"] {
        copy_all(&root().join(folder), &to.join(folder))?;
    }
    crate::say(&format!("made {}", to.display()));
    Ok(to)
}

/// Copies a folder with what is in it.
fn copy_all(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("making {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy_all(&from, &to)?;
        } else {
            copy(&from, &to)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::copy(from, to)
        .with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Whether a 64-bit little-endian ELF image names no program interpreter (`PT_INTERP`, type 3, see
/// elf(5)): the kernel then starts it as it is.
pub fn is_static(image: &[u8]) -> bool {
    let half = |at: usize| {
        image
            .get(at..at + 2)
            .map(|b| u16::from_le_bytes([b[0], b[1]]))
    };
    let word = |at: usize| {
        image
            .get(at..at + 4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    if image.get(..6) != Some(b"\x7fELF\x02\x01") {
        return false;
    }
    let table = word(32).unwrap_or(0) as usize;
    let (size, count) = (
        half(54).unwrap_or(0) as usize,
        half(56).unwrap_or(0) as usize,
    );
    (0..count).all(|i| word(table + i * size).is_some_and(|kind| kind != 3))
}
