//! One hook's work: whose it is, what happened, and how long is left.

use std::path::PathBuf;
use std::time::Duration;

use room_client::{Client, RunDir};
use room_protocol::lane::Sign;
use room_protocol::runfile::RunFile;

use crate::alarm::Deadline;
use crate::dialect::{Dialect, Moment};
use crate::interval;
use crate::payload::Payload;

/// What a question leaves of the deadline, to write down how it went.
const RESERVE: Duration = Duration::from_millis(40);

/// Everything that a hook knows once it has read its payload.
pub(crate) struct Job {
    pub(crate) deadline: Deadline,
    pub(crate) dir: RunDir,
    pub(crate) run: RunFile,
    /// The run lane's socket.
    pub(crate) socket: PathBuf,
    pub(crate) payload: Payload,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) moment: Moment,
    /// `ROOM_INTERVAL`.
    pub(crate) room_interval: Option<String>,
}

impl Job {
    /// Looks up a variable of the hook's environment.
    pub(crate) fn var(name: &str) -> Option<std::ffi::OsString> {
        std::env::var_os(name)
    }

    /// The daemon, with what is left of the time.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.socket)
            .credential(self.run.credential.clone())
            .deadline(self.deadline.left().saturating_sub(RESERVE))
    }

    /// The sign of life that goes with every question.
    pub(crate) fn sign(&self) -> Sign {
        let subagent = self.payload.agent_id.is_some();
        Sign {
            event: self.event().to_owned(),
            tool: self.payload.tool.clone(),
            session: self.payload.session.clone(),
            agent_id: self.payload.agent_id.clone(),
            proof: if subagent {
                None
            } else {
                self.dialect.proof(self.moment, &self.payload)
            },
            cli: Some(self.dialect.name().to_owned()).filter(|name| name != "plain"),
        }
    }

    /// The event's name as received.
    pub(crate) fn event(&self) -> &str {
        self.payload.event.as_deref().unwrap_or_default()
    }

    /// The interval, and whether `ROOM_INTERVAL` is nonsense.
    pub(crate) fn interval(&self) -> (Duration, bool) {
        let run = Duration::from_millis(self.run.interval_ms);
        match self.room_interval.as_deref().map(interval::parse) {
            None => (run, false),
            Some(Some(interval)) => (interval, false),
            Some(None) => (run, true),
        }
    }

    /// A line in the run's log.
    pub(crate) fn log(&self, what: impl std::fmt::Display) {
        self.dir.log(&format!("{}: {what}", self.event()));
    }
}
