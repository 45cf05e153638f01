//! The person's side of a case: the `room` command line against a daemon of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::process::{self, Outcome};

/// A `room` command answers in milliseconds, the daemon's start included.
const LIMIT: Duration = Duration::from_secs(20);

/// A message as `room messages --json` prints it (the fields that cases look at).
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    pub number: u64,
    pub handle: String,
    pub body: String,
    pub author: Author,
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub deliveries: Vec<Delivery>,
}

/// Who wrote a message.
#[derive(Clone, Debug, Deserialize)]
pub struct Author {
    pub name: String,
    pub kind: String,
}

/// One run's taking of a message.
#[derive(Clone, Debug, Deserialize)]
pub struct Delivery {
    pub run: String,
    pub how: String,
    #[serde(default)]
    pub confirmed: bool,
}

/// A run as `room runs --json` prints it.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    pub state: String,
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub unread: u64,
}

/// `room` with a home of its own. Cheap to copy into an action of a script.
#[derive(Clone)]
pub struct Room {
    program: PathBuf,
    home: PathBuf,
    environment: Vec<(String, String)>,
}

impl Room {
    pub fn new(program: PathBuf, home: PathBuf, environment: Vec<(String, String)>) -> Self {
        Self {
            program,
            home,
            environment,
        }
    }

    /// The daemon's home, a short path.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Runs `room` to its end, whatever that is.
    pub fn call(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<Outcome> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().cloned());
        process::run(command, input, LIMIT).with_context(|| format!("room {}", arguments.join(" ")))
    }

    /// Runs `room` and expects success.
    pub fn ok(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<String> {
        let outcome = self.call(arguments, input)?;
        let shown = || format!("room {}", arguments.join(" "));
        Ok(outcome.success().with_context(shown)?.stdout)
    }

    /// Posts as the person `author`; the body goes over standard input.
    pub fn post(&self, room: &str, author: &str, body: &str) -> Result<Message> {
        let arguments = ["post", room, "-", "--as", author, "--json"];
        let said = self.ok(&arguments, Some(body.as_bytes()))?;
        let line = said
            .lines()
            .next()
            .context("room post --json said nothing")?;
        serde_json::from_str(line).with_context(|| format!("room post --json said {line}"))
    }

    /// All messages of a room, in order.
    pub fn messages(&self, room: &str) -> Result<Vec<Message>> {
        let mut messages: Vec<Message> =
            self.lines(&["messages", room, "--limit", "500", "--json"])?;
        messages.sort_by_key(|message| message.number);
        Ok(messages)
    }

    /// One message as it stands now.
    pub fn message(&self, room: &str, handle: &str) -> Result<Message> {
        let messages = self.messages(room)?;
        let found = messages.into_iter().find(|m| m.handle == handle);
        found.with_context(|| format!("{handle} is not among the messages of {room}"))
    }

    /// All runs, ended ones included.
    pub fn runs(&self) -> Result<Vec<Run>> {
        self.lines(&["runs", "--all", "--json"])
    }

    /// The only run there is.
    pub fn only_run(&self) -> Result<Run> {
        let mut runs = self.runs()?;
        ensure!(runs.len() == 1, "one run was expected, there are {runs:?}");
        runs.pop().context("no run")
    }

    /// Opens a run without a launcher and gives its `RUN_ID`.
    pub fn start_run(&self, room: &str) -> Result<String> {
        let said = self.ok(&["start", room], None)?;
        let id = said.lines().find_map(|line| {
            let value = line.trim().strip_prefix("export RUN_ID=")?;
            Some(value.trim_matches(['\'', '"', ';']).to_owned())
        });
        id.with_context(|| format!("room start printed no RUN_ID: {said}"))
    }

    /// The process ids of the daemon of this home.
    pub fn daemon_pids(&self) -> Vec<u32> {
        process::named_with_environment("roomd", &format!("ROOM_HOME={}", self.home.display()))
    }

    /// Ends the daemon of this home, if there is one.
    pub fn stop_daemon(&self) {
        if !self.home.exists() || !self.program.exists() {
            return;
        }
        // Without an answer the case's remaining processes are killed by their ids.
        let _answer = self.call(&["daemon", "stop"], None);
    }

    fn lines<T: for<'de> Deserialize<'de>>(&self, arguments: &[&str]) -> Result<Vec<T>> {
        let said = self.ok(arguments, None)?;
        let lines = said.lines().filter(|line| !line.trim().is_empty());
        let parse = |line: &str| {
            serde_json::from_str(line)
                .with_context(|| format!("room {} said {line}", arguments.join(" ")))
        };
        lines.map(parse).collect()
    }
}
