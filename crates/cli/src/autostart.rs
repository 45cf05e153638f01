//! Starting the daemon when there is none.
//!
//! Whoever gets the start lock starts it; the others wait for the lock and find it serving. A newer
//! `room` replaces an older daemon, never the other way round.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fs2::FileExt;
use room_protocol::layout::Layout;
use room_protocol::operator::Health;

use crate::daemon::{Operator, is_dying};
use crate::failure::{Context, Failure};
use crate::inside;

/// How long a daemon that was started may take until it serves.
const SERVES_WITHIN: Duration = Duration::from_secs(5);
/// How long to wait for another `room` that is starting the daemon.
const STARTED_WITHIN: Duration = Duration::from_secs(10);
/// How often to look.
const LOOK: Duration = Duration::from_millis(10);
/// What of the daemon's log an error quotes, in bytes.
const LOG_BYTES: u64 = 2_048;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A daemon that serves this home, started if need be.
///
/// # Errors
/// [`Failure::Temporary`] when none can be had.
pub fn ensure(layout: &Layout) -> Result<Operator, Failure> {
    let operator = Operator::new(layout);
    if let Some(health) = health(layout, &operator)?
        && !is_older(&health.version, VERSION)
    {
        return Ok(operator);
    }
    if is_guest(layout) {
        return Err(Failure::Temporary(format!(
            "the daemon cannot be reached from inside this run: only {} leads to it (for room post \
             and room read)",
            layout.lane_socket().display()
        )));
    }
    make_home(layout)?;
    let _lock = start_lock(layout)?;
    // Another one may have been quicker.
    match health(layout, &operator)? {
        Some(health) if !is_older(&health.version, VERSION) => return Ok(operator),
        Some(health) => replace(&operator, &health)?,
        None => {}
    }
    start(layout, &operator)?;
    Ok(operator)
}

/// Whether this is a run that has been given only its own directory and the run lane, as in a
/// container: a daemon started here would be another one. Where a daemon lives, its lock is.
fn is_guest(layout: &Layout) -> bool {
    let opened_here = |run| layout.run_dir(&run).is_dir();
    inside::run_id().is_some_and(|run| run.is_ok_and(opened_here)) && !layout.daemon_lock().exists()
}

/// What the daemon says of itself; `None` where there is none. One that dies at this moment is waited
/// for.
fn health(layout: &Layout, operator: &Operator) -> Result<Option<Health>, Failure> {
    let until = Instant::now() + SERVES_WITHIN;
    loop {
        match operator.health() {
            Ok(health) => return Ok(Some(health)),
            Err(error) if error.nobody_listens() || !layout.home().is_dir() => return Ok(None),
            Err(error) if is_dying(&error) && Instant::now() < until => std::thread::sleep(LOOK),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Stops a daemon and waits until it is gone.
///
/// # Errors
/// When it does not end in time.
pub fn stop(operator: &Operator) -> Result<(), Failure> {
    operator.shutdown()?;
    let until = Instant::now() + SERVES_WITHIN;
    while operator.lock_is_held() {
        if Instant::now() > until {
            return Err(Failure::Temporary(format!(
                "the daemon was told to end and still runs after {} s",
                SERVES_WITHIN.as_secs()
            )));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

fn replace(operator: &Operator, older: &Health) -> Result<(), Failure> {
    crate::note(&format!(
        "replacing the daemon of version {} by version {VERSION}",
        older.version
    ));
    stop(operator)
}

fn make_home(layout: &Layout) -> Result<(), Failure> {
    let home = layout.home();
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(home)
        .or_refuse(|| format!("cannot make the home {}", home.display()))
}

fn start_lock(layout: &Layout) -> Result<File, Failure> {
    let path = layout.start_lock();
    let what = || format!("cannot lock {}", path.display());
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&path)
        .or_refuse(what)?;
    let until = Instant::now() + STARTED_WITHIN;
    loop {
        match FileExt::try_lock_exclusive(&file) {
            Ok(()) => return Ok(file),
            Err(e) if e.kind() != ErrorKind::WouldBlock => return Err(e).or_refuse(what),
            Err(_) if Instant::now() > until => {
                return Err(Failure::Temporary(format!(
                    "another room has been starting the daemon for more than {} s (it holds {})",
                    STARTED_WITHIN.as_secs(),
                    path.display()
                )));
            }
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}

fn start(layout: &Layout, operator: &Operator) -> Result<(), Failure> {
    if layout.moved() {
        crate::note(&format!(
            "{} is too long for a socket's path: the daemon's sockets are in {}",
            layout.home().display(),
            layout.short_dir().display()
        ));
    }
    if served_already(layout, operator)? {
        return Ok(());
    }
    let log = layout.daemon_log();
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&log)
        .or_refuse(|| format!("cannot open {}", log.display()))?;
    let from = file.metadata().map_or(0, |m| m.len());
    let mut child = spawn(layout, file)?;
    let until = Instant::now() + SERVES_WITHIN;
    let why = loop {
        if operator.health().is_ok() {
            return Ok(());
        }
        if let Ok(Some(status)) = child.try_wait() {
            break format!("the daemon ended at once ({status})");
        }
        if Instant::now() > until {
            break format!(
                "the daemon does not serve after {} s",
                SERVES_WITHIN.as_secs()
            );
        }
        std::thread::sleep(LOOK);
    };
    let end = end_of(&log, from).unwrap_or_default();
    Err(Failure::Temporary(format!(
        "{why}; its log {} says:\n{}",
        log.display(),
        if end.is_empty() { "(nothing)" } else { &end }
    )))
}

/// Whether a daemon that was started otherwise has begun to answer: waits for one that has the home's
/// lock.
///
/// # Errors
/// It has the lock and stays silent: another one could not serve beside it.
fn served_already(layout: &Layout, operator: &Operator) -> Result<bool, Failure> {
    let until = Instant::now() + SERVES_WITHIN;
    while operator.lock_is_held() {
        if operator.health().is_ok() {
            return Ok(true);
        }
        if Instant::now() > until {
            let lock = layout.daemon_lock();
            let holder = std::fs::read_to_string(&lock).unwrap_or_default();
            let pid = holder.split_whitespace().next().unwrap_or("?");
            return Err(Failure::Temporary(format!(
                "a daemon (process {pid}) holds {} and does not answer; look at {}, or end that process",
                lock.display(),
                layout.daemon_log().display()
            )));
        }
        std::thread::sleep(LOOK);
    }
    Ok(false)
}

/// The daemon, in a session of its own, with nothing of our terminal.
fn spawn(layout: &Layout, log: File) -> Result<Child, Failure> {
    let own = std::env::current_exe().or_refuse(|| "cannot find my own program".to_owned())?;
    let roomd = find(&own)?;
    Command::new(&own)
        .args(["exec-daemon", "--"])
        .arg(&roomd)
        .env("ROOM_HOME", layout.home())
        .env_remove("RUN_ID")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(log))
        .spawn()
        .or_refuse(|| format!("cannot start {}", roomd.display()))
}

/// `roomd` beside our own program, else in `PATH`.
///
/// # Errors
/// When it is in neither.
pub fn find(own: &Path) -> Result<PathBuf, Failure> {
    let beside = own.with_file_name("roomd");
    if beside.is_file() {
        return Ok(beside);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join("roomd"))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            Failure::Refused(format!(
                "there is no daemon to start: roomd is neither beside {} nor in PATH",
                own.display()
            ))
        })
}

/// What the log says from `from` on, its last lines.
fn end_of(log: &Path, from: u64) -> std::io::Result<String> {
    let mut file = File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(from.max(length.saturating_sub(LOG_BYTES))))?;
    let mut text = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).trim_end().to_owned())
}

/// Whether version `a` is older than version `b`, by their numbers. What is no version is not
/// older: what we do not understand we do not replace.
pub fn is_older(a: &str, b: &str) -> bool {
    let numbers = |text: &str| -> Option<[u64; 3]> {
        let core = text.split(['-', '+']).next()?;
        let mut parts = core.split('.').map(str::parse);
        let mut next = || parts.next()?.ok();
        Some([next()?, next()?, next()?])
    };
    matches!((numbers(a), numbers(b)), (Some(a), Some(b)) if a < b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lower_version_is_older() {
        for (a, b, older) in [
            ("0.1.0", "0.1.0", false),
            ("0.1.9", "0.1.10", true),
            ("0.2.0", "0.1.10", false),
            ("1.0.0-rc.1", "1.0.1", true),
            ("garbage", "1.0.0", false),
            ("", "1.0.0", false),
        ] {
            assert_eq!(is_older(a, b), older, "{a} {b}");
        }
    }
}
