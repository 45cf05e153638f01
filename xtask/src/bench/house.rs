//! A daemon on SQLite in a home of its own, with runs for the cases, for as long as the value lives.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use room_client::Client;
use room_protocol::layout::Layout;
use room_protocol::operator::{Health, OpenedRun};
use room_protocol::{Message, RoomName};

/// What a case's process is started with.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Its environment, nothing else.
    pub env: Vec<(String, String)>,
    /// Its payload, a file on standard input.
    pub payload: PathBuf,
}

/// The daemon and its home; both end with the value.
pub struct House {
    home: tempfile::TempDir,
    layout: Layout,
    daemon: Child,
    batch: PathBuf,
    stop: PathBuf,
}

const BATCH: &str = r#"{"session_id":"bench","transcript_path":"/t/bench.jsonl","cwd":"/","prompt_id":"p1","permission_mode":"default","hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"true","description":"d"},"tool_use_id":"toolu_1","tool_response":"ok"}]}"#;
const STOP: &str = r#"{"session_id":"bench","transcript_path":"/t/bench.jsonl","cwd":"/","prompt_id":"p1","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done"}"#;

impl House {
    /// Starts the daemon and waits until it answers.
    pub fn open(bin: &Path) -> anyhow::Result<Self> {
        let home = tempfile::Builder::new().prefix("room-bench-").tempdir()?;
        let layout = Layout::new(home.path().join("h"), rustix::process::getuid().as_raw());
        let daemon = Command::new(bin.join("roomd"))
            .arg("--home")
            .arg(layout.home())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(home.path().join("roomd.log"))?)
            .spawn()
            .context("starting roomd")?;
        let (batch, stop) = (
            home.path().join("batch.json"),
            home.path().join("stop.json"),
        );
        fs::write(&batch, BATCH)?;
        fs::write(&stop, STOP)?;
        let house = Self {
            home,
            layout,
            daemon,
            batch,
            stop,
        };
        let until = Instant::now() + Duration::from_secs(10);
        while house.operator().get::<Health>("/v1/health").is_err() {
            if Instant::now() > until {
                let log =
                    fs::read_to_string(house.home.path().join("roomd.log")).unwrap_or_default();
                bail!("roomd does not answer: {log}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(house)
    }

    /// Where its files lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn operator(&self) -> Client {
        Client::new(self.layout.operator_socket()).deadline(Duration::from_secs(10))
    }

    /// Opens a run in a room of its own.
    pub fn run(&self, room: &str, interval_ms: u64) -> anyhow::Result<OpenedRun> {
        let open = serde_json::json!({"room": room, "cli": "claude", "interval_ms": interval_ms});
        Ok(self.operator().post("/v1/runs", &open)?)
    }

    /// Posts a person's message.
    pub fn post(&self, room: &RoomName, body: &str) -> anyhow::Result<Message> {
        let post = serde_json::json!({"body": body, "as": "ana"});
        Ok(self
            .operator()
            .post(&format!("/v1/rooms/{room}/messages"), &post)?)
    }

    /// The surroundings of a hook of `run` with the after-tool payload.
    pub fn of(&self, run: &OpenedRun) -> Surroundings {
        let env = vec![
            ("RUN_ID".to_owned(), run.run.id.to_string()),
            (
                "ROOM_HOME".to_owned(),
                self.layout.home().display().to_string(),
            ),
        ];
        Surroundings {
            env,
            payload: self.batch.clone(),
        }
    }

    /// No `RUN_ID`.
    pub fn outside(&self) -> Surroundings {
        Surroundings {
            env: Vec::new(),
            payload: self.batch.clone(),
        }
    }

    /// A run whose interval never ends here.
    pub fn resting(&self) -> anyhow::Result<Surroundings> {
        Ok(self.of(&self.run("resting", 3_600_000)?))
    }

    /// A run that asks at every call, with nothing waiting.
    pub fn asking(&self) -> anyhow::Result<Surroundings> {
        Ok(self.of(&self.run("asking", 0)?))
    }

    /// The same, at a stop.
    pub fn stopping(&self) -> anyhow::Result<Surroundings> {
        let mut around = self.of(&self.run("stopping", 0)?);
        around.payload.clone_from(&self.stop);
        Ok(around)
    }
}

impl Drop for House {
    fn drop(&mut self) {
        // Best effort: the bench is over whatever becomes of it.
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
