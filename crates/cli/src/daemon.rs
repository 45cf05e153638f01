//! The operator lane.

use std::time::{Duration, Instant};

use fs2::FileExt;
use room_client::{Client, Error, Why};
use room_protocol::layout::Layout;
use room_protocol::message::Post;
use room_protocol::operator::{EndRun, Health, OpenRun, OpenedRun};
use room_protocol::{Handle, Message, ProblemKind, Run, RunId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::autostart;
use crate::ctx::Ctx;
use crate::failure::Failure;

/// How long a question whether the daemon serves may take.
const HEALTH_WITHIN: Duration = Duration::from_secs(2);
/// How long a call is tried again, across a daemon's end and start.
const CALL_WITHIN: Duration = Duration::from_secs(5);
/// How long a post is tried again, across a daemon's end and start.
const POST_WITHIN: Duration = Duration::from_secs(15);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(50);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if error.is_temporary() {
            Self::Temporary(error.to_string())
        } else {
            Self::Refused(error.to_string())
        }
    }
}

/// The operator lane of one home's daemon.
#[derive(Debug, Clone)]
pub struct Operator {
    layout: Layout,
    client: Client,
}

impl Operator {
    /// The daemon, started if there is none.
    ///
    /// # Errors
    /// When none can be had.
    pub fn connect(ctx: &Ctx) -> Result<Self, Failure> {
        autostart::ensure(&ctx.layout)
    }

    /// The daemon as it is; nothing is started.
    pub fn new(layout: &Layout) -> Self {
        Self {
            client: Client::new(layout.operator_socket()),
            layout: layout.clone(),
        }
    }

    /// What the daemon says of itself.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub fn health(&self) -> Result<Health, Error> {
        self.client
            .clone()
            .deadline(HEALTH_WITHIN)
            .get("/v1/health")
    }

    /// Asks.
    ///
    /// # Errors
    /// When the daemon cannot be reached, or refuses.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.again(CALL_WITHIN, || self.client.get(path))
    }

    /// Asks for what may take as long as `deadline`.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_within<T: DeserializeOwned>(
        &self,
        path: &str,
        deadline: Duration,
    ) -> Result<T, Error> {
        self.client.clone().deadline(deadline).get(path)
    }

    /// Sends what may be sent twice without harm.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Failure> {
        self.again(CALL_WITHIN, || self.client.post(path, body))
    }

    /// Opens a run. Not tried again: a run whose answer was lost would stay behind.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn open_run(&self, open: &OpenRun) -> Result<OpenedRun, Error> {
        self.client.post("/v1/runs", open)
    }

    /// Ends a run.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn end_run(&self, run: &RunId, exit_code: Option<i32>) -> Result<Run, Failure> {
        let end = EndRun { exit_code };
        self.post(&format!("/v1/runs/{run}/end"), &end)
    }

    /// Calls again while the daemon ends and another takes its place, at most for so long.
    fn again<T>(
        &self,
        within: Duration,
        call: impl Fn() -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let until = Instant::now() + within;
        loop {
            match call() {
                Ok(answer) => return Ok(answer),
                Err(error) if !may_pass(&error) || Instant::now() > until => {
                    return Err(error.into());
                }
                Err(error) if error.nobody_listens() => {
                    autostart::ensure(&self.layout)?;
                    // A daemon that dies at every call is not started as fast as it can die.
                    std::thread::sleep(PAUSE);
                }
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Follows events.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn events(&self, path: &str) -> Result<room_client::Events, Error> {
        self.client.events(path)
    }

    /// Posts a message that has an idempotency key: tried again while the daemon ends and another
    /// starts, since the key makes it one message.
    ///
    /// # Errors
    /// When it is refused, or no daemon takes it in time.
    pub fn post_with_key(&self, path: &str, post: &Post) -> Result<Message, Failure> {
        self.again(POST_WITHIN, || self.client.post(path, post))
    }

    /// Tells the daemon to end.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn shutdown(&self) -> Result<(), Error> {
        match self.client.post("/v1/shutdown", &serde_json::json!({})) {
            // It may be gone before its answer is.
            Err(Error::Unreachable {
                why: Why::Closed, ..
            }) => Ok(()),
            other => other,
        }
    }

    /// Whether a daemon holds this home's lock.
    pub fn lock_is_held(&self) -> bool {
        std::fs::File::open(self.layout.daemon_lock())
            .is_ok_and(|file| FileExt::try_lock_shared(&file).is_err())
    }
}

/// Whether the daemon is ending, or has just been killed.
pub fn is_dying(error: &Error) -> bool {
    match error {
        Error::Unreachable { why, .. } => matches!(why, Why::Closed | Why::Io),
        Error::Problem(problem) => problem.kind == ProblemKind::Unavailable,
        Error::Garbage { .. } => false,
    }
}

/// Whether a call that may be made twice is worth another try.
pub fn may_pass(error: &Error) -> bool {
    let timed_out = matches!(
        error,
        Error::Unreachable {
            why: Why::TimedOut,
            ..
        }
    );
    timed_out || is_dying(error) || error.nobody_listens()
}

/// A fresh idempotency key.
pub fn new_key() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A message's path on the operator lane.
pub fn message_path(handle: &Handle) -> String {
    format!("/v1/rooms/{}/messages/{}", handle.room, handle.number)
}
