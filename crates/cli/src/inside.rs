//! Inside a run: the run lane, and the run's directory.

use std::time::{Duration, Instant};

use room_client::{Client, Error, Note, RunDir, Why, outbox};
use room_protocol::lane::{Acknowledged, LeaseRequest, Sign};
use room_protocol::layout::{Layout, run_files};
use room_protocol::message::Post;
use room_protocol::runfile::RunFile;
use room_protocol::{Message, ProblemKind, RoomName, RunId, frame, limits};
use serde::Deserialize;

use crate::daemon::may_pass;
use crate::failure::{Context, Failure};
use crate::taking::Taking;

/// How long a verb inside a run asks the daemon, all its calls together: the agent's own tool call
/// waits for it.
const ASK_WITHIN: Duration = Duration::from_secs(3);
/// What the last of these calls is given at least: it often only says what was shown.
const LEAST: Duration = Duration::from_millis(250);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// What `RUN_ID` says; `None` where it is absent or empty.
pub fn run_id() -> Option<Result<RunId, String>> {
    let value = std::env::var_os("RUN_ID").filter(|value| !value.is_empty())?;
    let text = value.to_string_lossy().into_owned();
    // What is not UTF-8 has a character in it by now that no id has.
    Some(text.parse().map_err(|_| text))
}

/// `RUN_ID` names nobody: to act as a person then would put an agent's words into a person's mouth.
fn nobody(named: &str, layout: &Layout) -> Failure {
    Failure::Refused(format!(
        "RUN_ID ({}) names no run of this home, {}: unset it, or correct ROOM_HOME",
        frame::preview(named, 40),
        layout.home().display()
    ))
}

/// A run, seen from its directory.
#[derive(Debug)]
pub struct Inside {
    dir: RunDir,
    file: RunFile,
    client: Client,
    /// When the daemon must have answered, where somebody waits for us.
    until: Option<Instant>,
}

/// What became of a post.
#[derive(Debug)]
pub enum Posted {
    /// The daemon has it.
    Sent(Box<Message>),
    /// It waits in the run's outbox, under this name, because of that.
    Kept(String, Error),
}

impl Inside {
    /// The run that this process belongs to, as `RUN_ID` names it; `None` where nothing does. All that
    /// is asked of the daemon through it is over within 3 s.
    ///
    /// # Errors
    /// When `RUN_ID` names no run of this home, or its directory cannot be read.
    pub fn from_env(layout: &Layout) -> Result<Option<Self>, Failure> {
        let run = match run_id() {
            None => return Ok(None),
            Some(Err(text)) => return Err(nobody(&text, layout)),
            Some(Ok(run)) => run,
        };
        let inside = Self::find(layout, &run)?.ok_or_else(|| nobody(run.as_str(), layout))?;
        Ok(Some(Self {
            until: Some(Instant::now() + ASK_WITHIN),
            ..inside
        }))
    }

    /// A run of this home; `None` where it was never opened here.
    ///
    /// # Errors
    /// When its directory cannot be read.
    pub fn find(layout: &Layout, run: &RunId) -> Result<Option<Self>, Failure> {
        let what = || format!("the run {run}");
        let dir = match RunDir::open(&layout.run_dir(run)) {
            Ok(dir) => dir,
            Err(e) if e.is_missing() => return Ok(None),
            Err(e) => return Err(e).or_refuse(what),
        };
        let file = match dir.run_file() {
            Ok(file) => file,
            Err(e) if e.is_missing() => return Ok(None),
            Err(e) => return Err(e).or_refuse(what),
        };
        let client = Client::new(layout.lane_socket()).credential(file.credential.clone());
        Ok(Some(Self {
            dir,
            file,
            client,
            until: None,
        }))
    }

    /// What `run.json` says.
    pub fn file(&self) -> &RunFile {
        &self.file
    }

    /// Its directory.
    pub fn dir(&self) -> &RunDir {
        &self.dir
    }

    /// The run lane, with the run's credential, for the next call: within what time is left.
    pub fn client(&self) -> Client {
        let client = self.client.clone();
        match self.until {
            Some(until) => {
                client.deadline(until.saturating_duration_since(Instant::now()).max(LEAST))
            }
            None => client,
        }
    }

    /// Whether there is time for another call.
    fn has_time(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }

    /// That `room` is the run's own.
    ///
    /// # Errors
    /// When it is another.
    pub fn expect_room(&self, room: &RoomName) -> Result<(), Failure> {
        if *room == self.file.room {
            return Ok(());
        }
        Err(Failure::Refused(format!(
            "this run is in room {}, and cannot reach {room}",
            self.file.room
        )))
    }

    /// Whether `text` is this run's id or name.
    pub fn is_called(&self, text: &str) -> bool {
        text == self.file.run.as_str() || text == self.file.name.as_str()
    }

    /// The session that takes the run's mail, where one is bound.
    pub fn session(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Bound {
            session: Option<String>,
        }
        let bound = self.dir.read_json::<Bound>(run_files::SESSION).ok()??;
        bound.session
    }

    /// A failure of the run lane, in words for whoever is inside the run.
    pub fn failure(&self, error: Error) -> Failure {
        match error.problem() {
            Some(ProblemKind::Unauthorized) => Failure::Refused(format!(
                "the run {} has ended, or was opened by another daemon",
                self.file.run
            )),
            _ => error.into(),
        }
    }

    /// Posts as the run, after what waits in its outbox. Where the daemon cannot be reached, the
    /// post goes into the outbox.
    ///
    /// # Errors
    /// When it is refused, or can be neither sent nor kept.
    pub fn post(&self, post: &Post) -> Result<Posted, Failure> {
        if let Some(error) = self.deliver_outbox() {
            return self.keep(post, error);
        }
        let until = self.until.unwrap_or_else(|| Instant::now() + ASK_WITHIN);
        let error = loop {
            match self.client().post("/v1/run/messages", post) {
                Ok(message) => return Ok(Posted::Sent(Box::new(message))),
                Err(e) if e.nobody_listens() => break e,
                Err(e) if may_pass(&e) && Instant::now() < until => std::thread::sleep(PAUSE),
                Err(e) if may_pass(&e) || is_forbidden(&e) => break e,
                Err(e) => return Err(self.failure(e)),
            }
        };
        self.keep(post, error)
    }

    /// Hands over what waits in the outbox; why the daemon cannot be reached, where it cannot. What
    /// it refuses, or what cannot be read, holds nothing up.
    fn deliver_outbox(&self) -> Option<Error> {
        if outbox::is_empty(&self.dir) {
            return None;
        }
        match outbox::deliver_while(&self.dir, &self.client(), || self.has_time()) {
            (_, Some(outbox::Failure::Daemon(e))) if may_pass(&e) || is_forbidden(&e) => Some(e),
            _ => None,
        }
    }

    /// Leaves a post to the next hook. Not one for a run that may be none: who would learn of it?
    fn keep(&self, post: &Post, error: Error) -> Result<Posted, Failure> {
        if let Some(to) = &post.to
            && !self.dir.path().with_file_name(to.as_str()).is_dir()
        {
            return Err(Failure::Temporary(format!(
                "{error}; nor is it known here whether {to} is a run's id; nothing was sent"
            )));
        }
        match outbox::put(&self.dir, post) {
            Ok(name) => Ok(Posted::Kept(name, error)),
            Err(no) => Err(Failure::Temporary(format!(
                "{error}; nor can it be kept for later: {no}; nothing was sent"
            ))),
        }
    }

    /// Takes over the run's inbox for one showing: the lock, then what an earlier one left to
    /// settle, then a lease.
    ///
    /// # Errors
    /// When a hook of this run is showing messages at this moment, or the daemon refuses.
    pub fn take(&self, budget: usize, opening: bool, event: &str) -> Result<Taking<'_>, Failure> {
        let lock = self
            .dir
            .lock_wait(limits::LOCK_WAIT)
            .or_refuse(|| "cannot lock the run".to_owned())?
            .ok_or_else(|| {
                Failure::Temporary(
                    "a hook of this run is showing messages at this moment; try again".to_owned(),
                )
            })?;
        self.settle()?;
        let session = self.session();
        let request = LeaseRequest {
            budget: u32::try_from(budget).unwrap_or(u32::MAX),
            sign: Sign {
                event: event.to_owned(),
                session: session.clone(),
                ..Sign::default()
            },
            takeover: true,
            opening,
            fresh: false,
        };
        let lease = self
            .client()
            .post("/v1/run/leases", &request)
            .map_err(|e| self.failure(e))?;
        Ok(Taking::new(self, lock, lease, session))
    }

    /// Acknowledges what a hook showed that died before it could.
    fn settle(&self) -> Result<(), Failure> {
        if let Some(note) = Note::take(&self.dir) {
            self.acknowledge(&note)?;
        }
        Ok(())
    }

    pub(crate) fn acknowledge(&self, note: &Note) -> Result<(), Failure> {
        let acknowledged: Acknowledged = self
            .client()
            .post("/v1/run/deliveries", &note.acknowledgement())
            .map_err(|e| self.failure(e))?;
        for id in &acknowledged.refused {
            self.dir
                .log(&format!("{id} was shown and never was this run's"));
        }
        Note::clear(&self.dir).or_refuse(|| "the run's note".to_owned())
    }
}

fn is_forbidden(error: &Error) -> bool {
    matches!(
        error,
        Error::Unreachable {
            why: Why::Forbidden,
            ..
        }
    )
}

/// Hands over what waits in a run's outbox, where there is such a run.
pub fn hand_over_outbox(layout: &Layout, run: &RunId) {
    let Ok(Some(inside)) = Inside::find(layout, run) else {
        return;
    };
    if outbox::is_empty(&inside.dir) {
        return;
    }
    if let (_, Some(failure)) = outbox::deliver(&inside.dir, &inside.client) {
        crate::note(&format!(
            "some posts of run {run} are still in its outbox, {}: {failure}",
            inside.dir.path().join(run_files::OUTBOX).display()
        ));
    }
}
