//! The programs, the home and the daemon.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use room_protocol::layout::Layout;
use room_protocol::operator::{Health, Runs};
use room_protocol::{Run, RunState, Timestamp};

use super::{Finding, Level};
use crate::autostart::{self, VERSION};
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::inside;
use crate::launch::hooks;
use crate::view;
use crate::whom;
use crate::wiring::plan::Hook;

/// Questions of which the middle one's time is told.
const QUESTIONS: usize = 9;
/// A round trip that takes longer than this is a sign of trouble: a hook has 500 ms for all it does.
const SLOW: Duration = Duration::from_millis(100);
/// SQLite before this one can damage a database in WAL mode (its release notes of 3.51.3).
const SQLITE: [u32; 3] = [3, 51, 3];

pub(super) fn look(layout: &Layout) -> Vec<Finding> {
    // The daemon makes its home, so it is asked for first.
    let daemon = daemon(layout);
    let mut findings = vec![programs()];
    findings.extend(home(layout));
    findings.extend(daemon);
    findings.extend(run(layout));
    findings
}

fn programs() -> Finding {
    let about = "program";
    match hooks::find() {
        Ok(binaries) => {
            let dir = Path::new(binaries.command(Hook::RoomRelay)).parent();
            let dir = dir.unwrap_or(Path::new("PATH")).display();
            let text = format!("room {VERSION}, hooks found in {dir}");
            Finding::new(about, Level::Good, text)
        }
        Err(failure) => Finding::new(about, Level::Bad, text(&failure)),
    }
}

fn text(failure: &Failure) -> String {
    failure.text().unwrap_or_default().to_owned()
}

fn home(layout: &Layout) -> Vec<Finding> {
    let about = "home";
    let mut findings = vec![];
    for name in ["ROOM_HOME", "XDG_STATE_HOME"] {
        let value = std::env::var_os(name).filter(|v| !v.is_empty());
        if value.is_some_and(|v| Path::new(&v).is_relative()) {
            let text = format!("{name} is not an absolute path, and so not looked at");
            findings.push(Finding::new(about, Level::Bad, text));
        }
    }
    let home = layout.home();
    findings.push(private(home, "home"));
    let runs = layout.runs_dir();
    if runs.exists() {
        findings.push(private(&runs, "runs"));
    }
    if layout.moved() {
        let text = format!(
            "{} is too long for a socket's path: the sockets are in {}",
            home.display(),
            layout.short_dir().display()
        );
        findings.push(Finding::new(about, Level::Note, text));
    }
    findings
}

/// A directory that only its owner may enter: what keeps other users of the machine out.
fn private(dir: &Path, what: &str) -> Finding {
    let about = "home";
    let own = rustix::process::getuid().as_raw();
    match std::fs::metadata(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Finding::new(
            about,
            Level::Note,
            format!("{} is not there yet", dir.display()),
        ),
        Err(e) => Finding::new(about, Level::Bad, format!("{}: {e}", dir.display())),
        Ok(meta) if !meta.is_dir() => Finding::new(
            about,
            Level::Bad,
            format!("{} is no directory", dir.display()),
        ),
        Ok(meta) if meta.uid() != own => Finding::new(
            about,
            Level::Bad,
            format!(
                "{} belongs to user {}, not to you",
                dir.display(),
                meta.uid()
            ),
        ),
        Ok(meta) if meta.mode() & 0o077 != 0 => Finding::new(
            about,
            Level::Bad,
            format!(
                "{} has mode {:04o}, so others may enter: chmod 700 it",
                dir.display(),
                meta.mode() & 0o7777
            ),
        ),
        Ok(_) => Finding::new(
            about,
            Level::Good,
            format!("{what} directory {} is yours alone", dir.display()),
        ),
    }
}

fn daemon(layout: &Layout) -> Vec<Finding> {
    let about = "daemon";
    let operator = match autostart::ensure(layout) {
        Ok(operator) => operator,
        Err(failure) => return vec![Finding::new(about, Level::Bad, text(&failure))],
    };
    let (health, took) = match measured(&operator) {
        Ok(measured) => measured,
        Err(failure) => return vec![Finding::new(about, Level::Bad, text(&failure))],
    };
    let mut findings = vec![];
    let answers = format!(
        "version {}, process {}, answers in {} µs (the middle of {QUESTIONS})",
        health.version,
        health.pid,
        took.as_micros()
    );
    let level = if took > SLOW { Level::Bad } else { Level::Good };
    findings.push(Finding::new(about, level, answers));
    if health.version != VERSION {
        let text = format!(
            "the daemon is {} and this room is {VERSION}",
            health.version
        );
        findings.push(Finding::new(about, Level::Note, text));
    }
    findings.push(store(&health.store));
    findings.extend(stale(&operator));
    findings
}

/// Runs that may have been forgotten: what is meant for them waits for nobody.
fn stale(operator: &Operator) -> Vec<Finding> {
    let about = "run";
    let Runs { runs } = match operator.get(&whom::live(None)) {
        Ok(runs) => runs,
        Err(failure) => return vec![Finding::new(about, Level::Bad, text(&failure))],
    };
    forgotten(&runs, Timestamp::now())
}

fn forgotten(runs: &[Run], now: Timestamp) -> Vec<Finding> {
    runs.iter()
        .filter(|run| run.state == RunState::Stale)
        .map(|run| {
            let text = format!(
                "{} ({}) in {} gives no sign of life for {}: if it is gone, room end {}",
                run.id,
                run.name,
                run.room,
                view::ago(now.since(run.alive_at)),
                run.id
            );
            Finding::new("run", Level::Note, text)
        })
        .collect()
}

fn measured(operator: &Operator) -> Result<(Health, Duration), Failure> {
    let mut times = vec![];
    let mut last = None;
    for _ in 0..QUESTIONS {
        let begun = Instant::now();
        last = Some(operator.health()?);
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    last.map(|health| (health, times[QUESTIONS / 2]))
        .ok_or_else(|| Failure::Refused("nothing was asked".to_owned()))
}

/// The store as the daemon names it, such as `sqlite 3.54.1`.
fn store(name: &str) -> Finding {
    let about = "store";
    let sqlite = name.to_lowercase().contains("sqlite");
    let version = name
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .find_map(|word| {
            let mut parts = word.split('.').map(|part| part.parse().ok());
            Some([parts.next()??, parts.next()??, parts.next()??])
        });
    match version {
        Some(version) if sqlite && version < SQLITE => Finding::new(
            about,
            Level::Bad,
            format!("{name}: before 3.51.3 SQLite can damage a database in WAL mode"),
        ),
        _ => Finding::new(about, Level::Good, name),
    }
}

/// The run that this shell belongs to.
fn run(layout: &Layout) -> Option<Finding> {
    let about = "run";
    let found = inside::Inside::from_env(layout).transpose()?;
    Some(match found {
        Ok(inside) => Finding::new(
            about,
            Level::Note,
            format!(
                "RUN_ID is set: post and read act as {} in {}",
                inside.file().name,
                inside.file().room
            ),
        ),
        Err(failure) => Finding::new(about, Level::Bad, text(&failure)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_run_is_named_and_how_to_end_it() {
        let run = |id: &str, state: RunState| -> Run {
            let at = "2026-11-30T14:00:00.000Z";
            serde_json::from_value(serde_json::json!({
                "id": id, "room": "demo", "name": "claude", "cli": "claude", "state": state,
                "opened_at": at, "alive_at": at, "active_at": at, "unread": 0
            }))
            .unwrap()
        };
        let runs = [
            run("demo-1", RunState::Working),
            run("demo-2", RunState::Stale),
            run("demo-3", RunState::Idle),
        ];
        let found = forgotten(&runs, "2026-11-30T14:05:00.000Z".parse().unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].level, Level::Note);
        assert_eq!(
            found[0].text,
            "demo-2 (claude) in demo gives no sign of life for 5m00s: if it is gone, room end demo-2"
        );
    }

    #[test]
    fn an_sqlite_that_damages_databases_is_named() {
        for (name, level) in [
            ("sqlite 3.54.1", Level::Good),
            ("SQLite 3.51.3 (WAL)", Level::Good),
            ("sqlite 3.40.1", Level::Bad),
            ("memory", Level::Good),
        ] {
            assert_eq!(store(name).level, level, "{name}");
        }
    }
}
