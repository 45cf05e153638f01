//! A run's directory into which somebody hostile writes.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use room_client::{DirError, RunDir};
use room_protocol::layout::run_files;
use room_protocol::limits::RUN_FILE_BYTES;
use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;

pub fn run() -> (TempDir, RunDir) {
    let dir = tempfile::tempdir().unwrap();
    let run = RunDir::open(dir.path()).unwrap();
    (dir, run)
}

fn refused<T: std::fmt::Debug>(result: Result<T, DirError>) {
    match result {
        Err(DirError::Refused { .. }) => {}
        other => panic!("{other:?}"),
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_are_written_and_read() {
    let (dir, run) = run();
    assert_eq!(run.read("stamp").unwrap(), None);
    run.write("stamp", b"one").unwrap();
    run.write("stamp", b"two").unwrap();
    assert_eq!(run.read("stamp").unwrap().unwrap(), b"two");
    assert_eq!(mode(&dir.path().join("stamp")), 0o600);
    run.create("note.tmp", b"{}").unwrap();
    run.rename("note.tmp", "note.json").unwrap();
    assert_eq!(run.read("note.json").unwrap().unwrap(), b"{}");
    assert_eq!(mode(&dir.path().join("note.json")), 0o600);
    assert!(run.remove("note.json").unwrap());
    assert!(!run.remove("note.json").unwrap());
    // No temporary file stays behind.
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn a_small_file_is_written_over_in_place_unless_it_is_not_ours_alone() {
    let (dir, run) = run();
    let (stamp, other) = (dir.path().join("stamp"), dir.path().join("other"));
    let write = |text: &[u8]| run.dir().overwrite("stamp", text, 8);
    write(b"one").unwrap();
    assert_eq!(mode(&stamp), 0o600);
    let inode = fs::metadata(&stamp).unwrap().ino();
    write(b"longer than that").unwrap();
    write(b"two").unwrap();
    assert_eq!(fs::read(&stamp).unwrap(), b"two     ");
    assert_eq!(fs::metadata(&stamp).unwrap().ino(), inode, "in place");

    fs::hard_link(&stamp, &other).unwrap();
    write(b"three").unwrap();
    assert_eq!(
        fs::read(&other).unwrap(),
        b"two     ",
        "a second name keeps its words"
    );
    assert_eq!(fs::read(&stamp).unwrap(), b"three   ");

    for place in ["link", "pipe"] {
        fs::remove_file(&stamp).unwrap();
        match place {
            "link" => symlink(&other, &stamp).unwrap(),
            _ => mkfifoat(CWD, &stamp, Mode::RWXU).unwrap(),
        }
        write(b"four").unwrap();
        assert_eq!(
            fs::read(&stamp).unwrap(),
            b"four    ",
            "in place of a {place}"
        );
        assert_eq!(fs::read(&other).unwrap(), b"two     ");
    }
}

#[test]
fn the_run_file_is_read_with_its_credential() {
    let (_dir, run) = run();
    assert!(run.run_file().unwrap_err().is_missing());
    run.write(run_files::RUN, b"{").unwrap();
    assert!(matches!(run.run_file(), Err(DirError::Malformed { .. })));
    let json = r#"{"run":"r1","room":"demo","name":"claude","credential":"c","interval_ms":2000,"opened_at":"2026-11-30T14:02:11.000Z","later":1}"#;
    run.write(run_files::RUN, json.as_bytes()).unwrap();
    assert_eq!(run.run_file().unwrap().credential, "c");
}

#[test]
fn a_link_in_place_of_the_directory_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let real = home.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, home.path().join("link")).unwrap();
    refused(RunDir::open(&home.path().join("link")));
    fs::write(home.path().join("file"), "").unwrap();
    refused(RunDir::open(&home.path().join("file")));
    assert!(
        RunDir::open(&home.path().join("none"))
            .unwrap_err()
            .is_missing()
    );
    // What was opened stays what it was, whatever takes its name.
    let run = RunDir::open(&real).unwrap();
    fs::rename(&real, home.path().join("moved")).unwrap();
    symlink("/etc", &real).unwrap();
    run.write("stamp", b"1").unwrap();
    assert!(home.path().join("moved/stamp").exists());
}

#[test]
fn links_are_neither_read_nor_written_through() {
    let (dir, run) = run();
    let secret = dir.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    for name in ["stamp", run_files::LOCK, run_files::LOG] {
        symlink(&secret, dir.path().join(name)).unwrap();
    }
    refused(run.read("stamp"));
    refused(run.lock_try());
    run.log("line");
    run.write("stamp", b"new").unwrap();
    symlink(&secret, dir.path().join("made")).unwrap();
    run.create("made", b"new").unwrap();
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    for name in ["stamp", "made"] {
        assert!(
            fs::symlink_metadata(dir.path().join(name))
                .unwrap()
                .is_file()
        );
    }
    // A hard link to somebody's file is replaced, not written into.
    fs::hard_link(&secret, dir.path().join("hard")).unwrap();
    run.create("hard", b"new").unwrap();
    run.write("hard", b"newer").unwrap();
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    // A directory on the way is not followed either.
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("post"), "{}").unwrap();
    symlink(elsewhere.path(), dir.path().join(run_files::OUTBOX)).unwrap();
    refused(run.list(run_files::OUTBOX, 10));
    refused(room_client::outbox::list(&run));
    refused(room_client::outbox::get(&run, "post"));
}

#[test]
fn a_pipe_hangs_nobody() {
    let (dir, run) = run();
    for name in [
        run_files::RUN,
        run_files::LOCK,
        run_files::LOG,
        run_files::NOTE,
        "stamp",
    ] {
        mkfifoat(CWD, dir.path().join(name), Mode::RUSR | Mode::WUSR).unwrap();
    }
    refused(run.run_file());
    refused(run.read("stamp"));
    refused(run.lock_try());
    run.log("line");
    assert_eq!(room_client::Note::take(&run), None);
    run.write("stamp", b"1").unwrap();
    assert_eq!(run.read("stamp").unwrap().unwrap(), b"1");
    // A directory and a socket are no files either.
    fs::create_dir(dir.path().join("d")).unwrap();
    refused(run.read("d"));
    let _bound = std::os::unix::net::UnixListener::bind(dir.path().join("s")).unwrap();
    refused(run.read("s"));
}

#[test]
fn a_file_larger_than_its_bound_is_refused() {
    let (dir, run) = run();
    let full = vec![b'x'; usize::try_from(RUN_FILE_BYTES).unwrap()];
    fs::write(dir.path().join("stamp"), &full).unwrap();
    assert_eq!(run.read("stamp").unwrap().unwrap().len(), full.len());
    let sparse = fs::File::create(dir.path().join("stamp")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    refused(run.read("stamp"));
}

#[test]
fn names_lead_nowhere_else() {
    let (_dir, run) = run();
    for name in ["", ".", "..", "a/b", "../x", "/etc/passwd", "a\0b"] {
        refused(run.read(name));
        refused(run.write(name, b""));
        refused(run.create(name, b""));
        refused(run.remove(name));
        refused(run.rename(name, "x"));
        refused(run.rename("x", name));
        refused(run.list(name, 1));
    }
}

#[test]
fn a_listing_is_bounded_and_in_order() {
    let (dir, run) = run();
    assert_eq!(run.list("outbox", 5).unwrap(), Vec::<String>::new());
    fs::create_dir(dir.path().join("outbox")).unwrap();
    for name in ["c", "a", ".hidden", "b"] {
        fs::write(dir.path().join("outbox").join(name), "").unwrap();
    }
    assert_eq!(run.list("outbox", 5).unwrap(), ["a", "b", "c"]);
    assert_eq!(run.list("outbox", 2).unwrap().len(), 2);
    // Again, from the start.
    let outbox = run.dir().sub("outbox").unwrap().unwrap();
    assert_eq!(outbox.names(5).unwrap(), outbox.names(5).unwrap());
}
