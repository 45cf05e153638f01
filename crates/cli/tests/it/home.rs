//! What the tests of the verbs share: a private home with its own daemon, and `room` in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use tempfile::TempDir;

/// Nothing that is waited for takes longer.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A home. Its daemon, where a verb started one, ends with it.
pub struct Home {
    dir: TempDir,
    home: PathBuf,
}

/// How a program ended, and what it printed.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// What it printed; it must have succeeded without a word on standard error.
    #[track_caller]
    pub fn ok(self) -> String {
        assert!(self.code == Some(0) && self.err.is_empty(), "{self:?}");
        self.out
    }

    /// What it printed; it must have succeeded, whatever it remarked on standard error.
    #[track_caller]
    pub fn done(self) -> String {
        assert!(self.code == Some(0), "{self:?}");
        self.out
    }

    /// What it said on standard error; it must have ended with this code and printed nothing.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        assert!(self.code == Some(code) && self.out.is_empty(), "{self:?}");
        assert!(self.err.starts_with("room: "), "{self:?}");
        self.err
    }
}

impl Home {
    pub fn new() -> Self {
        Self::named("home")
    }

    /// A home of this name below a short temporary directory.
    pub fn named(name: &str) -> Self {
        build_others();
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join(name);
        Self { dir, home }
    }

    /// A home with the room `demo` in it.
    pub fn with_demo() -> Self {
        let home = Self::new();
        home.room(["create", "demo"]).ok();
        home
    }

    pub fn path(&self) -> &Path {
        &self.home
    }

    /// A directory beside the home, for whatever else a test needs; also `$HOME`.
    pub fn beside(&self) -> &Path {
        self.dir.path()
    }

    pub fn run_dir(&self, run: &str) -> PathBuf {
        self.home.join("runs").join(run)
    }

    /// `room`, not started yet, in an environment of its own.
    pub fn command<I, S>(&self, args: I) -> Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = Command::new(bin("room"));
        command
            .args(args)
            .env_clear()
            .env("PATH", path())
            .env("HOME", self.dir.path())
            .env("USER", "ana")
            .env("ROOM_HOME", &self.home)
            .current_dir(self.dir.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs `room` to its end.
    pub fn room<I, S>(&self, args: I) -> Ran
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        finish(self.command(args), b"")
    }

    /// The same inside a run.
    pub fn inside<I, S>(&self, run: &str, args: I) -> Ran
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.command(args);
        command.env("RUN_ID", run);
        finish(command, b"")
    }

    /// The same with words on standard input.
    pub fn piped<const N: usize>(&self, args: [&str; N], stdin: &[u8]) -> Ran {
        finish(self.command(args), stdin)
    }

    /// What `room … --json` prints, line by line.
    #[track_caller]
    pub fn json<T: DeserializeOwned, const N: usize>(&self, args: [&str; N]) -> Vec<T> {
        let out = self.room(args.into_iter().chain(["--json"])).ok();
        lines(&out)
    }

    /// Opens a run as a launcher of one's own does; its id.
    pub fn start(&self) -> String {
        let run: Vec<room_protocol::Run> = self.json(["start", "demo"]);
        run[0].id.to_string()
    }

    /// Posts as a person; the handle.
    #[track_caller]
    pub fn post(&self, text: &str) -> String {
        self.room(["post", "demo", text]).done().trim().to_owned()
    }

    /// One message as it stands now.
    #[track_caller]
    pub fn message(&self, handle: &str) -> room_protocol::Message {
        self.json(["show", handle]).remove(0)
    }

    /// One run as it stands now.
    #[track_caller]
    pub fn run(&self, id: &str) -> room_protocol::Run {
        let runs: Vec<room_protocol::Run> = self.json(["runs", "--all"]);
        runs.into_iter().find(|run| run.id.as_str() == id).unwrap()
    }

    /// The daemon's process id.
    pub fn daemon_pid(&self) -> u32 {
        let health: Vec<room_protocol::operator::Health> = self.json(["daemon", "status"]);
        health[0].pid
    }

    /// Kills the daemon as a crash would.
    pub fn kill_daemon(&self) {
        let pid = i32::try_from(self.daemon_pid()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }

    /// How many messages the room `demo` has.
    pub fn count(&self) -> usize {
        let rooms: Vec<room_protocol::operator::Room> = self.json(["rooms"]);
        usize::try_from(rooms[0].messages).unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // A test may have ended it already; what else goes wrong shows as a process left behind.
        let _ = self.command(["daemon", "stop"]).output();
    }
}

/// JSON values, one a line.
#[track_caller]
pub fn lines<T: DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

/// Runs a program to its end, with these words on its standard input.
pub fn finish(command: Command, stdin: &[u8]) -> Ran {
    let mut command = assert_cmd::Command::from_std(command);
    Ran::of(
        &command
            .write_stdin(stdin)
            .timeout(PATIENCE)
            .output()
            .unwrap(),
    )
}

/// Waits for something to become true.
#[track_caller]
pub fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for a program's end.
#[track_caller]
pub fn end_of(child: &mut Child) -> std::process::ExitStatus {
    let mut status = None;
    until("the program's end", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// One of the workspace's programs.
pub fn bin(name: &str) -> PathBuf {
    assert_cmd::cargo::cargo_bin!("room").with_file_name(name)
}

/// The programs first, then what the tests were started with.
pub fn path() -> std::ffi::OsString {
    let own = bin("room").parent().unwrap().to_owned();
    let outer = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&outer))).unwrap()
}

/// Cargo builds the programs of this package only; the daemon and the hooks are others'.
fn build_others() {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let release = bin("room").parent().unwrap().ends_with("release");
        let status = Command::new(cargo)
            .args(["build", "--quiet", "-p", "roomd", "-p", "agent-room"])
            .args(release.then_some("--release"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(
            status.success(),
            "cargo build of roomd and the hooks failed"
        );
    });
}
