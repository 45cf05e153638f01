use super::*;

mod hostile;
mod layouts;

/// A repository in a directory of its own.
struct Repo {
    tmp: tempfile::TempDir,
    top: PathBuf,
}

fn git(dir: &Path, args: &[&str]) -> String {
    let done = std::process::Command::new("git")
        .args(["-c", "user.email=a@example.com", "-c", "user.name=a"])
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(done.status.success(), "git {args:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// Asks with more patience than the gate has: other tests run beside this one.
fn ask_at(dir: &Path, policy: GitPolicy) -> Answer {
    let patient = Instant::now() + std::time::Duration::from_secs(20);
    ask(policy, Some(dir), &Leash::default(), patient)
}

impl Repo {
    fn new() -> Self {
        Self::with(&[])
    }

    /// Made by `git init` with these options.
    fn with(options: &[&str]) -> Self {
        let tmp = tempfile::tempdir().unwrap();
        let top = tmp.path().join("top");
        std::fs::create_dir(&top).unwrap();
        let init = ["init", "-q", "-b", "main"];
        git(&top, &[&init[..], options].concat());
        Self { tmp, top }
    }

    /// A path beside the work tree.
    fn beside(&self, name: &str) -> PathBuf {
        self.tmp.path().join(name)
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.top, args)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.top.join(name), text).unwrap();
    }

    fn commit(&self, name: &str) {
        self.write(name, name);
        self.commit_all(name);
    }

    fn commit_all(&self, message: &str) {
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn ask(&self, policy: GitPolicy) -> Answer {
        ask_at(&self.top, policy)
    }
}

#[track_caller]
fn left(answer: Answer) -> String {
    match answer {
        Answer::Left(text) => text,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn not_asked(answer: Answer) -> String {
    match answer {
        Answer::NotAsked(why) => why,
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
    repo.git(&["mv", "new.rs", "old.rs"]);
    let text = left(repo.ask(GitPolicy::Clean));
    assert!(text.contains("1 uncommitted change (\"old.rs\")"), "{text}");
}

#[test]
fn what_is_ignored_is_not_uncommitted() {
    let repo = Repo::new();
    repo.write(".gitignore", "by-tree\n");
    repo.commit_all("x");
    repo.write(".git/info/exclude", "by-info\n");
    repo.write(".git/by-setting-list", "by-setting\n");
    let list = repo.top.join(".git/by-setting-list");
    repo.git(&["config", "core.excludesFile", list.to_str().unwrap()]);
    for name in ["by-tree", "by-info", "by-setting"] {
        repo.write(name, "x");
    }
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
}

#[test]
fn unpushed_work_is_told_only_where_it_is_asked_for() {
    let remote = tempfile::tempdir().unwrap();
    let repo = Repo::new();
    assert_eq!(repo.ask(GitPolicy::Pushed), Answer::Clean, "unborn");
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
    assert!(
        text.contains("1 commit not pushed to \"origin/main\""),
        "{text}"
    );
    repo.git(&["pack-refs", "--all"]);
    let packed = left(repo.ask(GitPolicy::Pushed));
    assert_eq!(packed, text, "packed references");
    repo.git(&["checkout", "-q", "--detach"]);
    let text = left(repo.ask(GitPolicy::Pushed));
    assert!(text.contains("no branch is checked out"), "{text}");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["push", "-q"]);
    repo.git(&["checkout", "-q", "-b", "topic"]);
    assert_eq!(
        repo.ask(GitPolicy::Pushed),
        Answer::Clean,
        "a branch without a commit of its own"
    );
    repo.git(&["branch", "-q", "-u", "main"]);
    repo.commit("c");
    let text = left(repo.ask(GitPolicy::Pushed));
    assert!(text.contains("1 commit not pushed to \"main\""), "{text}");
}

#[test]
fn where_there_is_no_repository_nothing_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let none = not_asked(ask_at(dir.path(), GitPolicy::Clean));
    assert!(none.contains("no repository"), "{none}");
    not_asked(ask_at(&dir.path().join("missing"), GitPolicy::Clean));
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    not_asked(ask_at(dir.path(), GitPolicy::Clean));
    std::fs::write(dir.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    not_asked(ask_at(dir.path(), GitPolicy::Clean));
    assert!(Question::ask(GitPolicy::Off, None).is_none());
}

#[test]
fn nothing_is_left_of_a_question() {
    let repo = Repo::new();
    repo.write("new.rs", "x");
    let place = Place::around(Some(&repo.top)).unwrap();
    let shadow = Shadow::make(&place).unwrap();
    let path = shadow.env(&place)[1].1.clone();
    shadow.configure(b"").unwrap();
    assert!(path.join("refs").join("heads").is_dir());
    drop(shadow);
    assert!(!path.exists());
    assert!(repo.top.join(".git/refs/heads").is_dir());
    // What a killed hook left goes with a later question; what another one uses does not.
    let [old, fresh] = ["old", "fresh"].map(|name| {
        let name = format!("agent-room-git-test-{}-{name}", std::process::id());
        path.with_file_name(name)
    });
    for path in [&old, &fresh] {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join("config"), "").unwrap();
    }
    let hour = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    File::open(&old).unwrap().set_modified(hour).unwrap();
    left(repo.ask(GitPolicy::Clean));
    assert!(!old.exists() && fresh.exists());
    std::fs::remove_dir_all(fresh).unwrap();
}
