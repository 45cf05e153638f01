use super::*;

/// A repository in a directory of its own.
struct Repo(tempfile::TempDir);

impl Repo {
    fn new() -> Self {
        let repo = Self(tempfile::tempdir().unwrap());
        repo.git(&["init", "-q", "-b", "main"]);
        repo.git(&["config", "user.email", "a@example.com"]);
        repo.git(&["config", "user.name", "a"]);
        repo
    }

    fn git(&self, args: &[&str]) {
        let done = std::process::Command::new("git")
            .args(args)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "git {args:?}: {done:?}");
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn commit(&self, name: &str) {
        self.write(name, name);
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", name]);
    }

    fn ask(&self, policy: GitPolicy) -> Answer {
        let patient = Instant::now() + std::time::Duration::from_secs(20);
        ask(policy, Some(self.0.path()), patient)
    }
}

fn left(answer: Answer) -> String {
    match answer {
        Answer::Left(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn uncommitted_work_is_told_and_committed_work_is_not() {
    let repo = Repo::new();
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    repo.write("new.rs", "x");
    let text = left(repo.ask(GitPolicy::Clean));
    assert!(text.contains("1 uncommitted change (\"new.rs\")"), "{text}");
    repo.commit("new.rs");
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    repo.write(".git/info/exclude", "ignored\n");
    repo.write("ignored", "x");
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
}

#[test]
fn unpushed_work_is_told_only_where_it_is_asked_for() {
    let remote = tempfile::tempdir().unwrap();
    let repo = Repo::new();
    repo.commit("a");
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    let text = left(repo.ask(GitPolicy::Pushed));
    assert!(text.contains("branch \"main\" has no upstream"), "{text}");
    let at = remote.path().to_str().unwrap();
    repo.git(&["init", "-q", "--bare", at]);
    repo.git(&["remote", "add", "origin", at]);
    repo.git(&["push", "-q", "-u", "origin", "main"]);
    assert_eq!(repo.ask(GitPolicy::Pushed), Answer::Clean);
    repo.commit("b");
    let text = left(repo.ask(GitPolicy::Pushed));
    assert!(text.contains("1 commit not pushed"), "{text}");
    repo.git(&["push", "-q"]);
    repo.git(&["checkout", "-q", "-b", "topic"]);
    assert_eq!(
        repo.ask(GitPolicy::Pushed),
        Answer::Clean,
        "a branch without a commit of its own"
    );
}

#[test]
fn no_program_of_the_repository_ever_runs() {
    let traps: &[&[(&str, &str)]] = &[
        &[("core.fsmonitor", "TRAP")],
        &[
            ("filter.trap.clean", "TRAP"),
            ("filter.trap.required", "true"),
        ],
        &[("filter.trap.process", "TRAP")],
        &[("diff.external", "TRAP")],
        &[("core.hooksPath", "HOOKS")],
        &[("include.path", "INCLUDED")],
    ];
    for trap in traps {
        let repo = Repo::new();
        repo.commit("a");
        let at = |name: &str| repo.0.path().join(".git").join(name);
        let sprung = at("sprung");
        let script = format!("#!/bin/sh\n: > '{}'\n", sprung.display());
        let hooks = at("trap-hooks");
        std::fs::create_dir(&hooks).unwrap();
        let program = at("trap");
        let places = [&program, &hooks.join("post-index-change")];
        for place in places {
            use std::os::unix::fs::PermissionsExt;
            std::fs::write(place, &script).unwrap();
            std::fs::set_permissions(place, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let included = format!("[core]\n\tfsmonitor = {}\n", program.display());
        std::fs::write(at("included"), included).unwrap();
        std::fs::write(at("info/attributes"), "* filter=trap\n").unwrap();
        for (key, value) in *trap {
            let value = value
                .replace("TRAP", program.to_str().unwrap())
                .replace("HOOKS", hooks.to_str().unwrap())
                .replace("INCLUDED", at("included").to_str().unwrap());
            repo.git(&["config", key, &value]);
        }
        repo.write("a", "a");
        let answer = repo.ask(GitPolicy::Pushed);
        assert!(!sprung.exists(), "{trap:?}");
        if trap[0].0 == "core.hooksPath" {
            assert!(matches!(answer, Answer::Left(_)), "{answer:?}");
        } else {
            assert!(matches!(answer, Answer::NotAsked(_)), "{trap:?} {answer:?}");
        }
        // The trap works: git itself, left alone, springs it.
        if trap[0].0.starts_with("core.") || trap[0].0 == "filter.trap.clean" {
            repo.write("a", "b");
            let _ = std::process::Command::new("git")
                .args(["status"])
                .current_dir(repo.0.path())
                .output();
            assert!(sprung.exists(), "{trap:?}");
        }
    }
}

#[test]
fn where_there_is_no_repository_nothing_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let until = Instant::now() + std::time::Duration::from_secs(20);
    let answer = ask(GitPolicy::Clean, Some(dir.path()), until);
    assert!(matches!(answer, Answer::NotAsked(_)), "{answer:?}");
    let missing = dir.path().join("missing");
    let answer = ask(GitPolicy::Clean, Some(&missing), until);
    assert!(matches!(answer, Answer::NotAsked(_)), "{answer:?}");
    assert!(Question::ask(GitPolicy::Off, None).is_none());
}
