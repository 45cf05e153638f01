//! What a question leaves behind: no process and no file, whatever the repository does.

use rustix::process::{Pid, Signal, kill_process};

use super::*;
use crate::support::wait_for;

/// The processes that have a run's environment, with their names.
fn processes(run: &TestRun) -> Vec<(Pid, String)> {
    let mark = format!("RUN_ID={}", run.id);
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let read = |name| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let pid = entry.file_name().to_str().and_then(|pid| pid.parse().ok());
        if let Some(pid) = pid.and_then(Pid::from_raw)
            && read("environ")
                .split(|b| *b == 0)
                .any(|var| var == mark.as_bytes())
        {
            let name = String::from_utf8_lossy(&read("comm")).trim().to_owned();
            found.push((pid, name));
        }
    }
    found
}

fn named(run: &TestRun, name: &str) -> Option<Pid> {
    let found = processes(run);
    found.iter().find(|(_, is)| is == name).map(|(pid, _)| *pid)
}

fn pipe_at(path: &Path) {
    let _ = std::fs::remove_file(path);
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// A gate whose stand-ins for the repository lie where the test looks.
fn gate(run: &TestRun, runtime: &Path) -> Hook {
    run.gate().env("XDG_RUNTIME_DIR", runtime)
}

fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).unwrap().next().is_none()
}

#[test]
fn a_git_that_blocks_ends_with_the_hook() {
    let daemon = Daemon::start();
    for name in ["config", "HEAD", "index", "packed-refs"] {
        let (repo, runtime) = (repository(), tempfile::tempdir().unwrap());
        commit(repo.path());
        pipe_at(&repo.path().join(".git").join(name));
        let run = open(&daemon, GitPolicy::Pushed);
        // Nothing keeps the hook after the question.
        gate(&run, runtime.path())
            .on(&at(repo.path(), false))
            .run_silent();
        assert_eq!(processes(&run), [], "{name}");
        assert!(run.log().contains("not asked"), "{name}: {}", run.log());
        assert!(is_empty(runtime.path()), "{name}");
        run.end();
    }
}

/// More to read than fits into the time: the room's part goes on alone.
#[test]
fn a_repository_that_takes_too_long_is_dropped_alone() {
    let daemon = Daemon::start();
    let (repo, runtime) = (repository(), tempfile::tempdir().unwrap());
    git(repo.path(), &["add", "."]);
    // The index has it with another time and no length: only its bytes can tell.
    let empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    let entry = format!("100644,{empty},large");
    git(
        repo.path(),
        &["hash-object", "-w", "-t", "blob", "/dev/null"],
    );
    git(
        repo.path(),
        &["update-index", "--add", "--cacheinfo", &entry],
    );
    let large = std::fs::File::create(repo.path().join("large")).unwrap();
    large.set_len(64 << 30).unwrap();
    let run = open(&daemon, GitPolicy::Clean);
    let message = daemon.post("x");
    let outcome = gate(&run, runtime.path()).on(&at(repo.path(), false)).run();
    assert_eq!(processes(&run), []);
    assert_eq!(shown(&outcome.context()), [message.number]);
    assert!(run.log().contains("too long"), "{}", run.log());
    assert!(outcome.took.as_millis() < 1_500, "{:?}", outcome.took);
    assert!(is_empty(runtime.path()));
}

/// The room does not answer, so the hook leaves on its alarm: the question ended by itself before.
#[test]
fn a_git_that_blocks_ends_beside_a_daemon_that_does() {
    let daemon = Daemon::start();
    let (repo, runtime) = (repository(), tempfile::tempdir().unwrap());
    pipe_at(&repo.path().join(".git/HEAD"));
    let run = open(&daemon, GitPolicy::Clean);
    daemon.signal(Signal::STOP);
    let outcome = gate(&run, runtime.path()).on(&at(repo.path(), false)).run();
    daemon.signal(Signal::CONT);
    assert_eq!(outcome.stdout, "");
    assert_eq!(processes(&run), []);
    assert!(is_empty(runtime.path()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_git_that_blocks_ends_with_a_hook_that_is_killed() {
    let daemon = Daemon::start();
    let (repo, runtime) = (repository(), tempfile::tempdir().unwrap());
    let head = repo.path().join(".git/HEAD");
    pipe_at(&head);
    let run = open(&daemon, GitPolicy::Clean);
    // It lives on for its alarm.
    daemon.signal(Signal::STOP);
    let gate = gate(&run, runtime.path()).on(&at(repo.path(), false));
    let running = gate.start();
    let hook = wait_for("the hook", || named(&run, "stop-gate"));
    let git = wait_for("a git that blocks", || named(&run, "git"));
    kill_process(hook, Signal::KILL).unwrap();
    daemon.signal(Signal::CONT);
    assert!(running.end_anyhow().was_killed());
    wait_for("the end of git", || {
        (!processes(&run).iter().any(|(pid, _)| *pid == git)).then_some(())
    });
}
