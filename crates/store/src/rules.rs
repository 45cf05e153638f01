//! The rules that every implementation shares, so that none of them can be told apart by them.

use room_protocol::{Author, AuthorKind, AuthorName, Handle, MessageId, RoomName, RunId, Status};

use crate::{AckItem, Error, InboxQuery, NewMessage, NewRun, Result};

/// The last number that a handle can name (18 digits).
pub(crate) const LAST_NUMBER: u64 = 999_999_999_999_999_999;

/// What a message's status follows from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    /// Its sender took it back.
    pub withdrawn: bool,
    /// A delivery stands that was not returned.
    pub taken: bool,
    /// It is meant for one run, and that run has ended.
    pub addressee_ended: bool,
    /// A live run's inbox holds it.
    pub waits: bool,
}

/// Where a message stands.
pub(crate) fn status(facts: Facts) -> Status {
    if facts.withdrawn {
        Status::Withdrawn
    } else if facts.taken {
        Status::Taken
    } else if facts.addressee_ended {
        Status::Failed
    } else if facts.waits {
        Status::Queued
    } else {
        Status::Attached
    }
}

/// Whose keys are told apart from whose: the author's run where it has one, else kind and name.
pub(crate) fn key_scope(author: &Author) -> String {
    match (&author.run, author.kind) {
        (Some(run), _) => format!("run {run}"),
        (None, AuthorKind::Person) => format!("person {}", author.name),
        (None, AuthorKind::Agent) => format!("agent {}", author.name),
    }
}

/// The parts of a message that a resend must repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Said<'a> {
    pub room: &'a RoomName,
    pub body: &'a str,
    pub to: Option<&'a RunId>,
    pub reply_to: Option<&'a Handle>,
    pub quotes: &'a [Handle],
}

impl<'a> From<&'a NewMessage> for Said<'a> {
    fn from(message: &'a NewMessage) -> Self {
        Self {
            room: &message.room,
            body: &message.body,
            to: message.to.as_ref(),
            reply_to: message.reply_to.as_ref(),
            quotes: &message.quotes,
        }
    }
}

impl<'a> From<&'a room_protocol::Message> for Said<'a> {
    fn from(message: &'a room_protocol::Message) -> Self {
        Self {
            room: &message.room,
            body: &message.body,
            to: message.to.as_ref(),
            reply_to: message.reply_to.as_ref(),
            quotes: &message.quotes,
        }
    }
}

/// Refuses numbers that no handle can name.
pub(crate) fn check_message(message: &NewMessage) -> Result<()> {
    let refs = message.reply_to.iter().chain(&message.quotes);
    let mut numbers = refs.map(|h| h.number).chain([message.number]);
    match numbers.find(|n| !(1..=LAST_NUMBER).contains(n)) {
        Some(n) => Err(Error::InvalidRequest(format!(
            "{n} is not a message's number: those go from 1 to {LAST_NUMBER}"
        ))),
        None => Ok(()),
    }
}

/// Refuses a floor that no number can lie above.
pub(crate) fn check_run(run: &NewRun) -> Result<()> {
    if run.floor <= LAST_NUMBER {
        return Ok(());
    }
    Err(Error::InvalidRequest(format!(
        "{} is not a floor: numbers go up to {LAST_NUMBER}",
        run.floor
    )))
}

/// Refuses to list nothing.
pub(crate) fn check_limit(limit: usize) -> Result<()> {
    if limit > 0 {
        return Ok(());
    }
    Err(Error::InvalidRequest("a limit is 1 or more".to_owned()))
}

/// How far each message of an acknowledgement was shown, each id once, in the order of the call.
/// `None` is its end.
pub(crate) fn shown(items: &[AckItem]) -> Vec<(&MessageId, Option<u64>)> {
    let mut all: Vec<(&MessageId, Option<u64>)> = Vec::new();
    let mut place = std::collections::HashMap::new();
    for item in items {
        match place.get(&item.id) {
            None => {
                place.insert(&item.id, all.len());
                all.push((&item.id, item.offset));
            }
            Some(&at) => {
                let seen = &mut all[at].1;
                *seen = match (*seen, item.offset) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    _ => None,
                };
            }
        }
    }
    all
}

/// The piece of `body` that was shown: whole (`None`), or up to a byte at which a character begins,
/// so that the rest is text again and nothing is skipped.
pub(crate) fn piece(body: &str, offset: Option<u64>) -> Option<u64> {
    let offset = usize::try_from(offset?).unwrap_or(usize::MAX);
    (offset < body.len()).then(|| body.floor_char_boundary(offset) as u64)
}

/// Counts bodies against [`InboxQuery::bytes`].
#[derive(Debug)]
pub(crate) struct Budget {
    /// Nothing where one message has taken it all.
    left: Option<usize>,
    newest: bool,
    first: bool,
    fitted: bool,
}

/// What becomes of a message that is held against a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// It is let in.
    Yes,
    /// It is passed over.
    No,
    /// So is everything after it.
    NoMore,
}

impl Budget {
    pub fn new(query: &InboxQuery) -> Self {
        Self {
            left: Some(query.bytes),
            newest: query.newest,
            first: true,
            fitted: false,
        }
    }

    /// Whether so many bytes more are let in.
    pub fn admits(&mut self, bytes: usize) -> Admitted {
        let first = std::mem::replace(&mut self.first, false);
        match self.left.and_then(|left| left.checked_sub(bytes)) {
            Some(left) => {
                (self.left, self.fitted) = (Some(left), true);
                Admitted::Yes
            }
            None if first => {
                if !self.newest {
                    self.left = None;
                }
                Admitted::Yes
            }
            None if self.newest && !self.fitted => Admitted::No,
            None => Admitted::NoMore,
        }
    }
}

pub(crate) fn no_room(room: &RoomName) -> Error {
    Error::NotFound(format!("there is no room {room}"))
}

pub(crate) fn no_run(run: &RunId) -> Error {
    Error::NotFound(format!("there is no run {run}"))
}

pub(crate) fn no_message(handle: &str) -> Error {
    Error::NotFound(format!("there is no message {handle}"))
}

pub(crate) fn key_used(key: &str, by: &Handle) -> Error {
    Error::Conflict(format!(
        "the key {key:?} was used by this author for {by}, which says something else"
    ))
}

pub(crate) fn id_used(id: &MessageId, by: &Handle) -> Error {
    Error::Conflict(format!("the message id {id} is that of {by}"))
}

pub(crate) fn number_used(number: u64, by: &Handle) -> Error {
    Error::Conflict(format!("the number {number} is that of {by}"))
}

pub(crate) fn run_used(run: &RunId) -> Error {
    Error::Conflict(format!("there is a run {run} already"))
}

pub(crate) fn name_used(name: &AuthorName, room: &RoomName) -> Error {
    Error::Conflict(format!("a live run of {room} has the name {name} already"))
}

/// The moment at which what a resumed session brings along counts as printed: its start. What comes
/// after the first model request of the resumed session proves that the request carried it.
pub(crate) fn resumed() -> room_protocol::Proof {
    room_protocol::Proof {
        kind: room_protocol::ProofKind::Start,
        mark: String::new(),
    }
}
