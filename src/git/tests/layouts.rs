//! Every way in which a repository may lie on the disk: the answer is git's own, or none.

use super::*;

/// Both tell the same number of changes, one at least.
#[track_caller]
fn assert_agrees(dir: &Path) {
    let theirs = git(dir, &["status", "--porcelain"]).lines().count();
    assert!(theirs > 0);
    let text = left(ask_at(dir, GitPolicy::Clean));
    assert!(text.contains(&format!(": {theirs} uncommitted")), "{text}");
}

#[test]
fn a_linked_work_tree_is_its_own() {
    let repo = Repo::new();
    repo.commit("a");
    let bare = repo.beside("bare");
    git(repo.tmp.path(), &["clone", "-q", "--bare", "top", "bare"]);
    for main in [&repo.top, &bare] {
        let linked = repo.beside("linked");
        let at = linked.to_str().unwrap();
        git(main, &["worktree", "add", "-q", at, "-b", "topic"]);
        assert_eq!(ask_at(&linked, GitPolicy::Clean), Answer::Clean);
        let text = left(ask_at(&linked, GitPolicy::Pushed));
        assert!(text.contains("branch \"topic\" has no upstream"), "{text}");
        std::fs::create_dir(linked.join("deep")).unwrap();
        std::fs::write(linked.join("deep/new"), "x").unwrap();
        std::fs::write(linked.join("a"), "b").unwrap();
        assert_agrees(&linked);
        let text = left(ask_at(&linked.join("deep"), GitPolicy::Clean));
        assert!(text.contains("2 uncommitted changes"), "{text}");
        git(main, &["worktree", "remove", "--force", at]);
    }
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    not_asked(ask_at(&bare, GitPolicy::Clean));
}

#[test]
fn a_repository_that_lies_elsewhere_is_found() {
    let tmp = tempfile::tempdir().unwrap();
    let elsewhere = tmp.path().join("elsewhere");
    let repo = Repo::with(&["--separate-git-dir", elsewhere.to_str().unwrap()]);
    repo.commit("a");
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    repo.write("a", "b");
    assert_agrees(&repo.top);
    let at = |path: &Path| path.canonicalize().unwrap().to_str().unwrap().to_owned();
    repo.git(&["config", "core.worktree", &at(&repo.top)]);
    assert_agrees(&repo.top);
    repo.git(&["config", "core.worktree", &at(tmp.path())]);
    let why = not_asked(repo.ask(GitPolicy::Clean));
    assert!(why.contains("core.worktree"), "{why}");
}

#[test]
fn formats_that_are_known_are_asked_and_others_are_not() {
    let repo = Repo::with(&["--object-format=sha256"]);
    repo.commit("a");
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    left(repo.ask(GitPolicy::Pushed));
    repo.write("a", "b");
    assert_agrees(&repo.top);
    repo.git(&["config", "extensions.refStorage", "reftable"]);
    let why = not_asked(repo.ask(GitPolicy::Clean));
    assert!(why.contains("extensions.refstorage"), "{why}");
}

#[test]
fn settings_that_change_what_a_change_is_are_heeded() {
    let repo = Repo::new();
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.git(&["config", "core.fileMode", "false"]);
    repo.write("a", "one\r\ntwo\r\n");
    repo.commit_all("x");
    // The same, with times that the index does not know.
    repo.write("a", "one\r\ntwo\r\n");
    let hour = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    let file = File::open(repo.top.join("a")).unwrap();
    file.set_modified(hour).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    file.set_permissions(mode).unwrap();
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    repo.git(&["config", "core.autocrlf", "false"]);
    assert_agrees(&repo.top);
    repo.write(".git/info/attributes", "* text eol=crlf\n");
    assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean);
    repo.git(&["config", "core.fileMode", "true"]);
    assert_agrees(&repo.top);
}

#[test]
fn indexes_of_every_kind_are_read() {
    for setting in ["index.sparse", "core.splitIndex", "core.untrackedCache"] {
        let repo = Repo::new();
        for dir in ["in", "out"] {
            std::fs::create_dir_all(repo.top.join(dir).join("deep")).unwrap();
            repo.write(&format!("{dir}/deep/a"), "a");
        }
        repo.commit_all("x");
        repo.git(&["config", setting, "true"]);
        match setting {
            "index.sparse" => {
                repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
                assert!(!repo.top.join("out").exists());
            }
            "core.splitIndex" => drop(repo.git(&["update-index", "--split-index"])),
            _ => drop(repo.git(&["update-index", "--untracked-cache"])),
        }
        repo.git(&["status"]);
        assert_eq!(repo.ask(GitPolicy::Clean), Answer::Clean, "{setting}");
        repo.write("in/deep/new", "x");
        repo.write("in/deep/a", "b");
        repo.git(&["add", "in/deep/a"]);
        repo.write("new", "x");
        assert_agrees(&repo.top);
    }
}

#[test]
fn objects_may_be_borrowed_or_missing() {
    let repo = Repo::new();
    repo.commit("a");
    repo.commit("b");
    let at = format!("file://{}", repo.top.display());
    let beside = repo.tmp.path();
    git(beside, &["clone", "-q", "--shared", "top", "shared"]);
    git(beside, &["clone", "-q", "--depth=1", &at, "shallow"]);
    let alternates = beside.join("shared/.git/objects/info/alternates");
    std::fs::write(alternates, "../../../top/.git/objects\n").unwrap();
    for name in ["shared", "shallow"] {
        let clone = beside.join(name);
        assert_eq!(ask_at(&clone, GitPolicy::Pushed), Answer::Clean, "{name}");
        git(&clone, &["commit", "-q", "--allow-empty", "-m", "x"]);
        let text = left(ask_at(&clone, GitPolicy::Pushed));
        assert!(text.contains("1 commit not pushed"), "{text}");
        git(&clone, &["checkout", "-q", "--no-track", "-b", "topic"]);
        let text = left(ask_at(&clone, GitPolicy::Pushed));
        assert!(text.contains("1 commit that no remote has"), "{text}");
        std::fs::write(clone.join("a"), "b").unwrap();
        assert_agrees(&clone);
    }
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    git(beside, &["clone", "-q", "--filter=blob:none", &at, "part"]);
    let part = beside.join("part");
    git(&part, &["config", "core.repositoryFormatVersion", "1"]);
    git(&part, &["config", "extensions.partialClone", "origin"]);
    assert_eq!(ask_at(&part, GitPolicy::Pushed), Answer::Clean);
    std::fs::write(part.join("a"), "b").unwrap();
    assert_agrees(&part);
}
