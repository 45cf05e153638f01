use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use room_client::{Client, RunDir};
use room_protocol::lane::Peek;
use room_protocol::layout::Layout;
use room_protocol::operator::{EndRun, Health, OpenRun, OpenedRun};
use room_protocol::runfile::GitPolicy;
use room_protocol::{AuthorKind, Message, Run, RunId};
use serde_json::{Value, json};

use super::hook::Hook;
use super::wait_for;

/// `roomd` beside the hooks, built as they are. Cargo builds only the binaries of the package whose
/// tests it runs.
fn roomd() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let hook = Path::new(env!("CARGO_BIN_EXE_room-relay"));
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--package", "roomd", "--bin", "roomd"])
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let done = cargo.output().unwrap();
        assert!(done.status.success(), "roomd does not build: {done:?}");
        let roomd = hook.with_file_name("roomd");
        assert!(roomd.is_file(), "no {}", roomd.display());
        roomd
    })
}

/// A daemon with a home of its own; both go with it.
pub struct Daemon {
    home: tempfile::TempDir,
    child: Child,
    operator: Client,
}

impl Daemon {
    pub fn start() -> Self {
        let home = tempfile::Builder::new().prefix("room").tempdir().unwrap();
        let child = spawn(home.path());
        let operator = Client::new(layout(home.path()).operator_socket());
        let mut daemon = Self {
            home,
            child,
            operator,
        };
        daemon.await_health();
        daemon
    }

    fn await_health(&mut self) {
        wait_for("the daemon's health", || {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("roomd ended: {status}");
            }
            self.operator.get::<Health>("/v1/health").ok()
        });
    }

    pub fn operator(&self) -> &Client {
        &self.operator
    }

    /// Ends it as a crash does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn restart(&mut self) {
        self.child = spawn(self.home.path());
        self.await_health();
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// A run in room `demo`, as `change` wants it.
    pub fn open_with(&self, change: impl FnOnce(&mut OpenRun)) -> TestRun {
        let mut request = OpenRun {
            room: "demo".parse().unwrap(),
            name: None,
            cli: "claude".to_owned(),
            git: GitPolicy::Off,
            history: false,
            interval_ms: Some(0),
            launched: false,
        };
        change(&mut request);
        let opened: OpenedRun = self.operator.post("/v1/runs", &request).unwrap();
        TestRun {
            home: self.home.path().to_owned(),
            id: opened.run.id,
            dir: PathBuf::from(opened.dir),
            lane: Client::new(layout(self.home.path()).lane_socket()).credential(opened.credential),
            operator: self.operator.clone(),
        }
    }

    /// A run in room `demo` that asks at every call.
    pub fn open(&self) -> TestRun {
        self.open_with(|_| {})
    }

    /// A person's words in room `demo`.
    pub fn post(&self, body: &str) -> Message {
        self.post_as(json!({ "body": body, "as": "ana" }))
    }

    /// Another agent's words in room `demo`.
    pub fn post_as_agent(&self, body: &str) -> Message {
        self.post_as(json!({ "body": body, "as": "codex-2", "kind": AuthorKind::Agent }))
    }

    pub fn post_as(&self, post: Value) -> Message {
        self.operator
            .post("/v1/rooms/demo/messages", &post)
            .unwrap()
    }

    /// A message as it stands.
    pub fn message(&self, message: &Message) -> Message {
        let path = format!("/v1/rooms/demo/messages/{}", message.number);
        self.operator.get(&path).unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn layout(home: &Path) -> Layout {
    Layout::new(home, rustix::process::getuid().as_raw())
}

fn spawn(home: &Path) -> Child {
    Command::new(roomd())
        .env_remove("RUN_ID")
        .env("ROOM_HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// A run, and everything a test looks at.
pub struct TestRun {
    pub home: PathBuf,
    pub id: RunId,
    pub dir: PathBuf,
    pub lane: Client,
    operator: Client,
}

impl TestRun {
    /// One of the hooks, as Claude Code starts it.
    pub fn hook(&self, name: &str) -> Hook {
        Hook::new(name)
            .env("RUN_ID", self.id.as_str())
            .env("ROOM_HOME", &self.home)
            .args(&["--cli", "claude"])
            .env("CLAUDE_PID", std::process::id().to_string())
            .env("AI_AGENT", "claude-code_2-1-332_harness")
    }

    pub fn relay(&self) -> Hook {
        self.hook("room-relay")
    }

    pub fn gate(&self) -> Hook {
        self.hook("stop-gate")
    }

    pub fn beat(&self) -> Hook {
        self.hook("heartbeat")
    }

    /// The same three as Codex starts them.
    pub fn codex(&self, name: &str) -> Hook {
        Hook::new(name)
            .env("RUN_ID", self.id.as_str())
            .env("ROOM_HOME", &self.home)
            .args(&["--cli", "codex"])
    }

    pub fn waiting(&self) -> u64 {
        self.peek().waiting
    }

    pub fn peek(&self) -> Peek {
        self.lane.get("/v1/run/messages").unwrap()
    }

    pub fn state(&self) -> Run {
        self.operator.get(&format!("/v1/runs/{}", self.id)).unwrap()
    }

    pub fn end(&self) {
        let path = format!("/v1/runs/{}/end", self.id);
        self.operator
            .post::<Run>(&path, &EndRun::default())
            .unwrap();
    }

    /// What went wrong in its hooks.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.join("hooks.log")).unwrap_or_default()
    }

    /// A file of its directory, changed from outside.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.dir.join(name), bytes).unwrap();
    }

    pub fn has(&self, name: &str) -> bool {
        self.dir.join(name).exists()
    }

    pub fn files(&self) -> RunDir {
        RunDir::open(&self.dir).unwrap()
    }

    /// Every file with its contents, to see that nothing changed.
    pub fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        snapshot(&self.dir)
    }
}

/// Every file below a directory with its contents; directories with none.
pub fn snapshot(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(snapshot(&path));
            all.push((path, Vec::new()));
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            all.push((path, bytes));
        }
    }
    all.sort();
    all
}
