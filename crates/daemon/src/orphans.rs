//! Ends runs whose launcher was killed before it could: their process is gone, and nobody else would
//! say so. What they were shown and did not prove would stay with them for ever.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use room_protocol::layout::run_files;
use room_protocol::runfile::{ProcessFile, ProcessStat};
use room_protocol::{RunState, Timestamp};
use rustix::fs::{Mode, OFlags};

use crate::ending;
use crate::log::log;
use crate::registry::RunEntry;
use crate::state::Daemon;

/// Read at most of a process's note or description, in bytes.
const NOTE_BYTES: u64 = 4_096;

/// Looks at every run that gives no sign of life.
pub async fn end_all(daemon: &Daemon) {
    for run in daemon.registry.live() {
        if !is_stale(&run) || !is_gone(daemon.layout.run_dir(&run.id)).await {
            continue;
        }
        let _turn = run.turn.lock().await;
        // It may have ended, or spoken, while we looked.
        if run.ended().is_some() || !is_stale(&run) {
            continue;
        }
        log!("run {}: its process is gone, and its launcher too", run.id);
        if let Err(refusal) = ending::end(daemon, &run, None).await {
            log!("run {}: cannot be ended: {}", run.id, refusal.0.detail);
        }
    }
}

fn is_stale(run: &RunEntry) -> bool {
    run.pulse().state(Timestamp::now()) == RunState::Stale
}

/// Whether the process that a launcher noted in a run's directory is certainly gone. Where nothing was
/// noted, or the system does not say, nothing is certain.
async fn is_gone(dir: PathBuf) -> bool {
    let look = move || {
        let note: ProcessFile = serde_json::from_slice(&note(&dir)?)?;
        // Where this cannot be read, that another cannot be either says nothing.
        stat(std::process::id())?;
        io::Result::Ok(match stat(note.pid) {
            Ok(stat) => stat.ended || note.start_ticks.is_some_and(|t| t != stat.start_ticks),
            Err(e) => e.kind() == io::ErrorKind::NotFound,
        })
    };
    let looked = tokio::task::spawn_blocking(look).await;
    matches!(looked, Ok(Ok(true)))
}

/// The note's bytes. The directory may be a hostile agent's: no link is followed, and nothing but a
/// regular file is read.
fn note(dir: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = rustix::fs::open(dir, flags | OFlags::DIRECTORY, Mode::empty())?;
    // Not to wait for a pipe's other end.
    let flags = flags | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::openat(
        &dir,
        run_files::PROCESS,
        flags,
        Mode::empty(),
    )?);
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    bounded(file)
}

fn stat(pid: u32) -> io::Result<ProcessStat> {
    let text = bounded(File::open(format!("/proc/{pid}/stat"))?)?;
    ProcessStat::parse(&String::from_utf8_lossy(&text))
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn bounded(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(NOTE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
