//! What the renderer promises, on made-up rooms.

mod delivery;
mod forgery;
mod wordings;

use super::{Context, Purpose};
use crate::lane::Waiting;
use crate::{Author, AuthorKind, Handle, Message, RoomName, RunId, Status, Timestamp, limits};

fn room(name: &str) -> RoomName {
    name.parse().unwrap()
}

fn run(id: &str) -> RunId {
    id.parse().unwrap()
}

fn handle(text: &str) -> Handle {
    text.parse().unwrap()
}

fn author(name: &str, kind: AuthorKind) -> Author {
    Author {
        name: name.parse().unwrap(),
        kind,
        run: None,
        room: None,
    }
}

fn person() -> Author {
    author("ana", AuthorKind::Person)
}

fn agent() -> Author {
    Author {
        room: Some(room("api")),
        run: Some(run("other")),
        ..author("codex-2", AuthorKind::Agent)
    }
}

fn message(number: u64, author: Author, body: &str) -> Message {
    Message {
        id: format!("0193a8f0-0000-7000-8000-{number:012x}")
            .try_into()
            .unwrap(),
        room: room("demo"),
        number,
        handle: Handle {
            room: room("demo"),
            number,
        },
        author,
        body: body.to_owned(),
        sent_at: "2026-11-30T14:02:11.500Z"
            .parse::<Timestamp>()
            .unwrap()
            .plus(std::time::Duration::from_secs(number)),
        to: None,
        reply_to: None,
        quotes: Vec::new(),
        status: Status::Queued,
        deliveries: Vec::new(),
    }
}

fn waiting(message: Message) -> Waiting {
    Waiting {
        message,
        offset: 0,
        again: false,
    }
}

/// A relay of all of `waiting` into one context of the usual size.
fn relay<'a>(room: &'a RoomName, waiting: &'a [Waiting]) -> Context<'a> {
    Context {
        room,
        run: None,
        purpose: Purpose::Relay,
        introduce: false,
        waiting,
        waiting_total: waiting.len() as u64,
        history: &[],
        history_total: 0,
        budget: limits::CONTEXT_BYTES,
    }
}
