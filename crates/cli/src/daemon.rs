//! The operator lane.

use std::time::{Duration, Instant};

use fs2::FileExt;
use room_client::{Client, Error, Why};
use room_protocol::layout::Layout;
use room_protocol::message::Post;
use room_protocol::operator::Health;
use room_protocol::{Handle, Message, ProblemKind};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::autostart;
use crate::ctx::Ctx;
use crate::failure::Failure;

/// How long a question whether the daemon serves may take.
const HEALTH_WITHIN: Duration = Duration::from_secs(2);
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
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.client.get(path)
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

    /// Sends.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Error> {
        self.client.post(path, body)
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
        let until = Instant::now() + POST_WITHIN;
        loop {
            match self.post(path, post) {
                Ok(message) => return Ok(message),
                Err(error) if !may_pass(&error) || Instant::now() > until => {
                    return Err(error.into());
                }
                Err(error) if error.nobody_listens() => drop(autostart::ensure(&self.layout)?),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Tells the daemon to end.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn shutdown(&self) -> Result<(), Error> {
        match self.post("/v1/shutdown", &serde_json::json!({})) {
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

/// Whether a post with a key is worth another try.
pub fn may_pass(error: &Error) -> bool {
    match error {
        Error::Unreachable { why, .. } => matches!(
            why,
            Why::NoSocket | Why::Refused | Why::Closed | Why::TimedOut | Why::Io
        ),
        Error::Problem(problem) => problem.kind == ProblemKind::Unavailable,
        Error::Garbage { .. } => false,
    }
}

/// A fresh idempotency key.
pub fn new_key() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A message's path on the operator lane.
pub fn message_path(handle: &Handle) -> String {
    format!("/v1/rooms/{}/messages/{}", handle.room, handle.number)
}
