//! The run's lock, between processes.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use room_client::RunDir;

use crate::dir::run;

const LONG: Duration = Duration::from_secs(20);

/// Another process that takes the lock and keeps it until it is killed.
struct Holder(Child);

impl Holder {
    fn new(dir: &Path, with_child: bool) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lock::holds_until_killed", "--nocapture"])
            .env("ROOM_TEST_DIR", dir)
            .env("ROOM_TEST_CHILD", if with_child { "1" } else { "" })
            .stdout(Stdio::piped())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.as_mut().unwrap());
        let found = out
            .lines()
            .map_while(Result::ok)
            .any(|l| l.contains("lock held"));
        assert!(found, "the other process did not get the lock");
        Self(child)
    }

    fn kill(mut self) {
        // SIGKILL: nothing in the process gets to run.
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The other process of the tests here; without them, nothing.
#[test]
fn holds_until_killed() {
    let Some(dir) = std::env::var_os("ROOM_TEST_DIR").map(PathBuf::from) else {
        return;
    };
    let _lock = RunDir::open(&dir).unwrap().lock_try().unwrap().unwrap();
    let child = std::env::var_os("ROOM_TEST_CHILD").is_some_and(|v| !v.is_empty());
    let mut sleeper = child.then(|| {
        // Ends with its standard input, which the test holds.
        Command::new("cat").stdout(Stdio::null()).spawn().unwrap()
    });
    println!("lock held");
    if let Some(sleeper) = &mut sleeper {
        sleeper.wait().unwrap();
    }
    let _ = std::io::stdin().read(&mut [0]);
}

#[test]
fn one_process_has_it_and_death_frees_it() {
    let (dir, run) = run();
    let holder = Holder::new(dir.path(), false);
    assert!(run.lock_try().unwrap().is_none());
    let start = Instant::now();
    let patience = Duration::from_millis(150);
    assert!(run.lock_wait(patience).unwrap().is_none());
    assert!(start.elapsed() >= patience && start.elapsed() < LONG / 2);
    let waiting = std::thread::spawn(move || {
        let got = run.lock_wait(LONG).unwrap().is_some();
        (got, run)
    });
    holder.kill();
    let (got, run) = waiting.join().unwrap();
    assert!(got);
    assert!(run.lock_try().unwrap().is_some(), "free again when dropped");
}

#[test]
fn a_child_does_not_keep_it() {
    let (dir, run) = run();
    let mut holder = Holder::new(dir.path(), true);
    // The child reads what we hold open, so it outlives its parent.
    let stdin = holder.0.stdin.take();
    holder.kill();
    // Waited for: a spawned child has its parent's descriptors until its exec is through, and its
    // parent does not wait for that.
    assert!(run.lock_wait(LONG).unwrap().is_some());
    drop(stdin);
}

#[test]
fn two_holders_in_one_process_exclude_each_other() {
    let (dir, run) = run();
    let lock = run.lock_try().unwrap().unwrap();
    let other = RunDir::open(dir.path()).unwrap();
    assert!(other.lock_try().unwrap().is_none());
    drop(lock);
    assert!(other.lock_try().unwrap().is_some());
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(dir.path().join("lock"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
