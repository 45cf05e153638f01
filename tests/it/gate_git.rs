//! Invariant 8, the second concern: uncommitted and unpushed work holds a stop once a chain.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use room_protocol::runfile::GitPolicy;
use serde_json::Value;

use crate::support::daemon::{Daemon, TestRun};
use crate::support::hook::{Hook, shown};
use crate::support::payload::{Change, stop};

mod left;

fn git(dir: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.email=a@example.com", "-c", "user.name=a"])
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(done.status.success(), "git {args:?}: {done:?}");
}

/// A repository with one untracked file.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    std::fs::write(dir.path().join("new.rs"), "x").unwrap();
    dir
}

fn commit(dir: &Path) {
    git(dir, &["add", "."]);
    git(dir, &["commit", "-q", "-m", "x"]);
}

fn open(daemon: &Daemon, policy: GitPolicy) -> TestRun {
    daemon.open_with(|open| open.git = policy)
}

fn at(repository: &Path, later: bool) -> Value {
    stop(later).with("cwd", repository.to_str().unwrap())
}

#[test]
fn uncommitted_work_holds_once_a_chain_where_the_run_asks_for_it() {
    let daemon = Daemon::start();
    let repo = repository();
    let off = open(&daemon, GitPolicy::Off);
    off.gate().on(&at(repo.path(), false)).run_silent();
    let run = open(&daemon, GitPolicy::Clean);
    let subagent = at(repo.path(), false).with("agent_id", "a1");
    run.gate().on(&subagent).run_silent();
    let text = run.gate().on(&at(repo.path(), false)).context();
    assert!(text.contains("1 uncommitted change (\"new.rs\")"), "{text}");
    run.gate().on(&at(repo.path(), true)).run_silent();
    let next = at(repo.path(), false).with("prompt_id", "p2");
    run.gate().on(&next).context();
    commit(repo.path());
    run.gate()
        .on(&at(repo.path(), false).with("prompt_id", "p3"))
        .run_silent();
    let pushed = open(&daemon, GitPolicy::Pushed);
    let text = pushed.gate().on(&at(repo.path(), false)).context();
    assert!(text.contains("no remote has"), "{text}");
}

#[test]
fn both_concerns_of_a_stop_share_one_answer_and_keep_their_own_counts() {
    let daemon = Daemon::start();
    let repo = repository();
    let run = open(&daemon, GitPolicy::Clean);
    let message = daemon.post(&"x".repeat(7_000));
    let text = run.gate().on(&at(repo.path(), false)).context();
    assert_eq!(shown(&text), [message.number]);
    assert!(text.contains("uncommitted"), "{text}");
    // The repository first, a message after it: both hold.
    let second = at(repo.path(), false).with("prompt_id", "p2");
    let text = run.gate().on(&second).context();
    assert!(text.contains("uncommitted") && shown(&text).is_empty());
    let message = daemon.post("after it");
    let later = second.with("stop_hook_active", true);
    let text = run.gate().on(&later).context();
    assert_eq!(shown(&text), [message.number]);
    assert!(!text.contains("uncommitted"), "{text}");
    run.gate().on(&later).run_silent();
}

#[test]
fn a_dead_daemon_does_not_keep_the_repository_from_being_told() {
    let mut daemon = Daemon::start();
    let repo = repository();
    let run = open(&daemon, GitPolicy::Clean);
    daemon.kill();
    let text = run.gate().on(&at(repo.path(), false)).context();
    assert!(text.contains("uncommitted"), "{text}");
    run.gate().on(&at(repo.path(), true)).run_silent();
}

#[test]
fn where_its_marker_cannot_be_written_the_repository_holds_nothing() {
    let daemon = Daemon::start();
    let repo = repository();
    let run = open(&daemon, GitPolicy::Clean);
    std::fs::create_dir(run.dir.join("stop-git-nudged")).unwrap();
    run.gate().on(&at(repo.path(), false)).run_silent();
    let message = daemon.post("x");
    let text = run.gate().on(&at(repo.path(), true)).context();
    assert_eq!(shown(&text), [message.number]);
}

/// A `git` that hangs, and one that leaves a child with its output: the room's part goes on alone
/// and nobody keeps the hook's own standard output.
#[test]
fn a_git_that_hangs_is_dropped_alone() {
    let daemon = Daemon::start();
    let repo = repository();
    let bin = tempfile::tempdir().unwrap();
    let fake = bin.path().join("git");
    let path = format!(
        "{}:{}",
        bin.path().display(),
        std::env::var("PATH").unwrap()
    );
    for script in ["exec sleep 30", "sleep 30 & exit 0"] {
        std::fs::write(&fake, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&fake, PermissionsExt::from_mode(0o755)).unwrap();
        let run = open(&daemon, GitPolicy::Clean);
        let message = daemon.post("x");
        let gate: Hook = run.gate().env("PATH", &path);
        let outcome = gate.on(&at(repo.path(), false)).run();
        assert_eq!(shown(&outcome.context()), [message.number]);
        assert!(outcome.took.as_millis() < 2_000, "{:?}", outcome.took);
        assert!(run.log().contains("not asked"), "{}", run.log());
        run.end();
    }
}

#[test]
fn a_repository_that_names_programs_is_not_asked() {
    let daemon = Daemon::start();
    let repo = repository();
    let sprung = repo.path().join(".git/sprung");
    let trap = format!("touch '{}'", sprung.display());
    git(repo.path(), &["config", "core.fsmonitor", &trap]);
    git(repo.path(), &["config", "filter.x.clean", &trap]);
    let run = open(&daemon, GitPolicy::Pushed);
    run.gate().on(&at(repo.path(), false)).run_silent();
    assert!(!sprung.exists());
    assert!(run.log().contains("filter.x.clean"), "{}", run.log());
}

/// What the environment says about git is not the session's repository.
#[test]
fn gits_own_variables_are_not_handed_on() {
    let daemon = Daemon::start();
    let (dirty, elsewhere) = (repository(), tempfile::tempdir().unwrap());
    let run = open(&daemon, GitPolicy::Clean);
    run.gate()
        .env("GIT_DIR", dirty.path().join(".git"))
        .env("GIT_WORK_TREE", dirty.path())
        .on(&at(elsewhere.path(), false))
        .run_silent();
    run.gate().on(&at(dirty.path(), true)).context();
}

/// In a `PATH` with `.` the repository could have put a git of its own.
#[test]
fn a_git_of_the_repository_is_not_run() {
    let daemon = Daemon::start();
    let repo = repository();
    let sprung = repo.path().join(".git/sprung");
    let fake = repo.path().join("git");
    std::fs::write(&fake, format!("#!/bin/sh\n: > '{}'\n", sprung.display())).unwrap();
    std::fs::set_permissions(&fake, PermissionsExt::from_mode(0o755)).unwrap();
    let usual = std::env::var("PATH").unwrap();
    let top = repo.path().display();
    for first in [".", "", &top.to_string()] {
        let run = open(&daemon, GitPolicy::Clean);
        let path = format!("{first}:{usual}");
        let gate = run.gate().env("PATH", path);
        let text = gate.on(&at(repo.path(), false)).context();
        assert!(text.contains("2 uncommitted changes"), "{text}");
        assert!(!sprung.exists());
        run.end();
    }
}

/// What the user configured holds, a filter that the repository's attributes choose too.
#[test]
fn the_users_own_configuration_stays_in_force() {
    let daemon = Daemon::start();
    let (repo, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let top = repo.path();
    git(top, &["init", "-q", "-b", "main"]);
    std::fs::write(top.join(".gitattributes"), "a filter=lower\n").unwrap();
    std::fs::write(top.join("a"), "text").unwrap();
    commit(top);
    std::fs::write(top.join("a"), "TEXT").unwrap();
    std::fs::write(top.join("passed-over"), "x").unwrap();
    let settings = "[core]\n\texcludesFile = ~/list\n[filter \"lower\"]\n\tclean = tr A-Z a-z\n";
    std::fs::write(home.path().join("list"), "passed-over\n").unwrap();
    let run = open(&daemon, GitPolicy::Clean);
    let text = run.gate().on(&at(top, false)).context();
    assert!(text.contains("2 uncommitted changes"), "{text}");
    std::fs::write(home.path().join(".gitconfig"), settings).unwrap();
    let next = at(top, false).with("prompt_id", "p2");
    run.gate().env("HOME", home.path()).on(&next).run_silent();
    assert!(!run.log().contains("not asked"), "{}", run.log());
}
