//! Repositories that are somebody's work against us.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// A program of the repository's, and what shows that it ran.
struct Trap {
    program: PathBuf,
    sprung: PathBuf,
}

impl Trap {
    fn set(repo: &Repo) -> Self {
        let trap = Self {
            program: repo.beside("trap"),
            sprung: repo.beside("sprung"),
        };
        let hooks = repo.beside("hooks");
        std::fs::create_dir(&hooks).unwrap();
        let script = format!("#!/bin/sh\n: > '{}'\n", trap.sprung.display());
        for place in [&trap.program, &hooks.join("post-index-change")] {
            std::fs::write(place, &script).unwrap();
            std::fs::set_permissions(place, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let included = format!("[core]\n\tfsmonitor = {}\n", trap.program.display());
        std::fs::write(repo.beside("included"), included).unwrap();
        trap
    }

    /// Git itself, left alone, springs it: otherwise it proves nothing.
    fn assert_works(&self, repo: &Repo) {
        let _ = std::process::Command::new("git")
            .args(["status"])
            .current_dir(&repo.top)
            .output();
        assert!(self.sprung.exists());
    }
}

#[test]
fn no_program_of_the_repository_ever_runs() {
    let traps = [
        ("core.fsmonitor", "trap", true),
        ("filter.trap.clean", "trap", false),
        ("filter.trap.process", "trap", false),
        ("diff.external", "trap", true),
        ("core.hooksPath", "hooks", true),
        ("include.path", "included", false),
    ];
    for (key, value, is_asked) in traps {
        let repo = Repo::new();
        repo.commit("a");
        let trap = Trap::set(&repo);
        repo.write(".git/info/attributes", "* filter=trap\n");
        let value = repo.beside(value);
        repo.git(&["config", key, value.to_str().unwrap()]);
        repo.write("a", "b");
        let answer = repo.ask(GitPolicy::Pushed);
        assert!(!trap.sprung.exists(), "{key}");
        if is_asked {
            let text = left(answer);
            assert!(text.contains("1 uncommitted change (\"a\")"), "{key}");
            assert!(text.contains("1 commit"), "{key}");
        } else {
            assert!(not_asked(answer).contains(key), "{key}");
        }
        if key != "diff.external" {
            trap.assert_works(&repo);
        }
    }
}

#[test]
fn a_configuration_that_is_swapped_meanwhile_runs_nothing() {
    let repo = Repo::new();
    repo.commit("a");
    let trap = Trap::set(&repo);
    repo.write(".gitattributes", "* filter=trap\n");
    repo.write("a", "b");
    let config = repo.top.join(".git/config");
    let clean = std::fs::read_to_string(&config).unwrap();
    let program = trap.program.display();
    let evil = format!(
        "{clean}[filter \"trap\"]\n\tclean = {program}\n[core]\n\tfsmonitor = {program}\n\
         [extensions]\n\tworktreeConfig = true\n"
    );
    std::fs::write(config.with_file_name("config.worktree"), &evil).unwrap();
    let put = |text: &str| {
        let next = config.with_file_name("next");
        std::fs::write(&next, text).unwrap();
        std::fs::rename(&next, &config).unwrap();
    };
    let over = AtomicBool::new(false);
    let sprung = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                put(&evil);
                put(&clean);
            }
        });
        let sprung = (0..200).any(|_| {
            repo.ask(GitPolicy::Clean);
            trap.sprung.exists()
        });
        over.store(true, Ordering::Relaxed);
        sprung
    });
    assert!(!sprung);
    put(&evil);
    trap.assert_works(&repo);
}

#[test]
fn a_submodule_is_looked_at_and_nothing_of_it_runs() {
    let library = Repo::new();
    library.commit("a");
    let repo = Repo::new();
    repo.git(&[
        "submodule",
        "--quiet",
        "add",
        library.top.to_str().unwrap(),
        "sub",
    ]);
    repo.git(&[
        "config",
        "-f",
        ".gitmodules",
        "submodule.sub.ignore",
        "none",
    ]);
    repo.commit_all("x");
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    let trap = Trap::set(&repo);
    let sub = repo.top.join("sub");
    let program = trap.program.to_str().unwrap();
    git(&sub, &["config", "core.fsmonitor", program]);
    git(&sub, &["config", "filter.trap.clean", program]);
    std::fs::write(sub.join(".gitattributes"), "* filter=trap\n").unwrap();
    std::fs::write(sub.join("a"), "b").unwrap();
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    assert_eq!(ask_at(&sub, GitPolicy::Clean), {
        let key = "filter.trap.clean";
        Answer::NotAsked(format!("the repository's own configuration has {key}"))
    });
    assert!(!trap.sprung.exists());
    trap.assert_works(&repo);
    git(&sub, &["config", "--unset", "core.fsmonitor"]);
    git(&sub, &["config", "--unset", "filter.trap.clean"]);
    git(&sub, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let text = left(repo.ask(GitPolicy::Clean));
    assert!(text.contains("1 uncommitted change (\"sub\")"), "{text}");
    let text = left(ask_at(&sub, GitPolicy::Clean));
    assert!(text.contains("2 uncommitted changes"), "{text}");
}

/// Git would fetch what a partial clone lacks, with a program that the clone names.
#[test]
fn nothing_is_fetched_for_an_answer() {
    let repo = Repo::new();
    repo.commit("a");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", repo.top.display());
    let (beside, part) = (repo.tmp.path(), repo.beside("part"));
    let filter = ["--filter=blob:none", "--no-checkout"];
    git(
        beside,
        &[&["clone", "-q"], &filter[..], &[&from, "part"]].concat(),
    );
    // Whether this is the old file by another name, only the old one's words tell.
    std::fs::write(part.join("b"), "a little more").unwrap();
    git(&part, &["add", "b"]);
    let trap = Trap::set(&repo);
    let program = trap.program.to_str().unwrap();
    git(&part, &["config", "remote.origin.uploadpack", program]);
    let why = not_asked(ask_at(&part, GitPolicy::Clean));
    assert!(why.contains("failed"), "{why}");
    assert!(!trap.sprung.exists());
    let theirs = std::process::Command::new("git")
        .arg("status")
        .current_dir(&part)
        .output();
    assert!(theirs.is_ok() && trap.sprung.exists());
}

/// A pipe would block whoever opens it.
#[test]
fn what_never_ends_is_no_file() {
    for name in ["config", "commondir"] {
        let repo = Repo::new();
        let at = repo.top.join(".git").join(name);
        let _ = std::fs::remove_file(&at);
        let made = std::process::Command::new("mkfifo").arg(&at).status();
        assert!(made.unwrap().success());
        let why = not_asked(repo.ask(GitPolicy::Clean));
        assert!(why.ends_with("is no file"), "{why}");
    }
}

/// A question that nobody waits for any more ends, and starts nothing else.
#[test]
fn a_question_that_is_dropped_leaves_no_git() {
    let repo = Repo::new();
    let head = repo.top.join(".git/HEAD");
    std::fs::remove_file(&head).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&head).status();
    assert!(made.unwrap().success());
    let question = Question::ask(GitPolicy::Clean, repo.top.to_str()).unwrap();
    let leash = Arc::clone(&question.leash);
    drop(question);
    let why = not_asked(leash.wait(Instant::now()).unwrap_or(Answer::Clean));
    assert!(!why.is_empty());
    let question = Question::ask(GitPolicy::Clean, repo.top.to_str()).unwrap();
    let begun = Instant::now();
    let why = not_asked(question.answer());
    assert!(why.contains("too long"), "{why}");
    assert!(begun.elapsed().as_millis() < 2_000);
}

/// Another user's repository is asked where git itself would be: where the user said so.
#[test]
fn a_repository_of_another_user_is_gits_to_judge() {
    let repo = Repo::new();
    repo.write("new", "x");
    let ours = Place::around(Some(&repo.top)).unwrap();
    assert!(!ours.foreign);
    // Only root can give anything away.
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&repo.top, Some(4711), None).unwrap();
        assert!(Place::around(Some(&repo.top)).unwrap().foreign);
        let theirs = std::process::Command::new("git")
            .args(["rev-parse", "--git-dir"])
            .current_dir(&repo.top)
            .output()
            .unwrap();
        match repo.ask(GitPolicy::Clean) {
            Answer::Left(_) => assert!(theirs.status.success()),
            answer => {
                assert!(!theirs.status.success());
                assert!(not_asked(answer).contains("another user"));
            }
        }
    }
}
