//! An opening text: the room's conversation, and the task where there is one.

use room_protocol::frame::{self, Context, Purpose, Rendered};
use room_protocol::lane::{Item, Lease};
use room_protocol::message::MessagePage;
use room_protocol::{Message, RoomName, RunId, limits};

use crate::failure::Failure;
use crate::inside::Inside;
use crate::taking::Taking;

/// What the daemon is told that this is for.
const EVENT: &str = "opening";

/// Below so many bytes there is no use in beginning a conversation.
const CONVERSATION_MIN: usize = 1_000;
/// Stands between the conversation and the task.
const TASK: &str = "\n\n[The task of this run, from its operator, follows.]\n\n";

/// What a text is composed of.
pub struct Parts<'a> {
    /// The room.
    pub room: &'a RoomName,
    /// The run that is to read it.
    pub run: Option<&'a RunId>,
    /// What waits for that run.
    pub lease: Option<&'a Lease>,
    /// The room's newest messages, where the conversation is wanted.
    pub page: Option<&'a MessagePage>,
    /// The task, whole.
    pub task: Option<&'a str>,
    /// Hooks bring the run what else there is.
    pub hooks: bool,
}

/// A text, and exactly what of the run's inbox it shows in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The text, without a line break at its end.
    pub text: String,
    /// What may be acknowledged.
    pub items: Vec<Item>,
    /// The room is explained in it.
    pub introduced: bool,
    /// How many messages still wait.
    pub more: u64,
}

/// Composes an opening of at most [`limits::OPENING_CHARS`] characters: whole messages only, and the
/// task whole.
///
/// # Errors
/// When the task alone is longer.
pub fn opening(parts: &Parts<'_>) -> Result<Opening, Failure> {
    let task = parts.task.unwrap_or_default();
    let left = space_beside(task)?;
    let rendered = conversation(parts, left);
    let (text, items, introduced, more) = match rendered {
        Some(r) => {
            let items = r
                .shown
                .iter()
                .map(|s| Item {
                    id: s.id.clone(),
                    offset: s.offset,
                })
                .collect();
            let text = if task.is_empty() {
                r.text
            } else {
                r.text + TASK + task
            };
            (text, items, r.introduced, r.more)
        }
        None => {
            let waiting = parts.lease.map_or(0, |l| l.waiting);
            (task.to_owned(), vec![], false, waiting)
        }
    };
    Ok(Opening {
        text,
        items,
        introduced,
        more,
    })
}

/// Takes a run's inbox over and composes its opening. Without `hooks` it promises nothing of them.
///
/// # Errors
/// When the daemon cannot be reached or a hook of the run is showing messages, and as [`opening`].
pub fn for_run<'a>(
    inside: &'a Inside,
    task: Option<&str>,
    history: bool,
    hooks: bool,
) -> Result<(Taking<'a>, Opening), Failure> {
    let taking = inside.take(limits::REQUEST_BYTES, true, EVENT)?;
    let mut page = None;
    if history {
        page = Some(history_of(inside).inspect_err(|_| taking.give_back())?);
    }
    if let Some(page) = &mut page {
        leave_to_later(&mut page.messages, &taking.lease);
    }
    let opening = opening(&Parts {
        room: &inside.file().room,
        run: Some(&inside.file().run),
        lease: Some(&taking.lease),
        page: page.as_ref(),
        task,
        hooks,
    })
    .inspect_err(|_| taking.give_back())?;
    Ok((taking, opening))
}

/// The room's newest messages, by the run lane.
fn history_of(inside: &Inside) -> Result<MessagePage, Failure> {
    let path = format!("/v1/run/room/messages?limit={}", limits::PAGE);
    inside.client().get(&path).map_err(|e| inside.failure(e))
}

/// Where more waits than the lease lists, what is newer than the lease may wait too: it would be
/// shown here and not be acknowledged.
fn leave_to_later(history: &mut Vec<Message>, lease: &Lease) {
    if lease.waiting > lease.messages.len() as u64 {
        let last = lease.messages.iter().map(|w| w.message.number).max();
        history.retain(|m| Some(m.number) <= last);
    }
}

/// How many characters are left for the conversation beside this task.
///
/// # Errors
/// When the task alone is too long.
pub fn space_beside(task: &str) -> Result<usize, Failure> {
    let chars = task.chars().count();
    if chars > limits::OPENING_CHARS {
        return Err(Failure::Refused(format!(
            "the task has {chars} characters, and an opening has {} at most",
            limits::OPENING_CHARS
        )));
    }
    Ok((limits::OPENING_CHARS - chars).saturating_sub(TASK.chars().count()))
}

/// The conversation in at most `space` characters: as many bytes are never more characters.
fn conversation(parts: &Parts<'_>, space: usize) -> Option<Rendered> {
    if space < CONVERSATION_MIN {
        return None;
    }
    let waiting = parts.lease.map_or(&[][..], |l| &l.messages);
    let rendered = frame::context(&Context {
        room: parts.room,
        run: parts.run,
        purpose: if parts.hooks {
            Purpose::Opening
        } else {
            Purpose::Handover
        },
        introduce: parts.lease.is_none_or(|l| l.introduce),
        waiting,
        waiting_total: parts.lease.map_or(0, |l| l.waiting),
        history: parts.page.map_or(&[], |p| &p.messages),
        history_total: parts.page.map_or(0, |p| p.total),
        budget: space,
    })?;
    // A piece of a message too long to be shown whole is no opening: it comes with the hooks.
    let whole = rendered.shown.iter().all(|s| s.offset.is_none());
    whole.then_some(rendered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(bodies: &[&str]) -> MessagePage {
        let messages = bodies
            .iter()
            .enumerate()
            .map(|(i, body)| {
                let number = i + 1;
                serde_json::from_value(serde_json::json!({
                    "id": format!("01900000-0000-7000-8000-{number:012}"), "room": "demo",
                    "number": number, "handle": format!("demo/{number}"),
                    "author": {"name": "ana", "kind": "person"}, "body": body,
                    "sent_at": "2026-11-30T14:02:11.000Z", "status": "queued", "deliveries": []
                }))
                .unwrap()
            })
            .collect::<Vec<_>>();
        MessagePage {
            total: messages.len() as u64,
            messages,
            has_more: false,
        }
    }

    fn lease(page: &MessagePage) -> Lease {
        let waiting = page
            .messages
            .iter()
            .map(|message| room_protocol::lane::Waiting {
                message: message.clone(),
                offset: 0,
                again: false,
            })
            .collect::<Vec<_>>();
        Lease {
            lease: Some("l".to_owned()),
            expires_at: None,
            waiting: waiting.len() as u64,
            people: 0,
            messages: waiting,
            introduce: true,
            history: vec![],
            history_total: 0,
        }
    }

    fn compose(page: &MessagePage, task: &str) -> Result<Opening, Failure> {
        opening(&Parts {
            room: &"demo".parse().unwrap(),
            run: None,
            lease: Some(&lease(page)),
            page: Some(page),
            task: Some(task),
            hooks: true,
        })
    }

    #[test]
    fn the_task_stands_whole_behind_the_conversation_and_the_bound_holds() {
        let long = "wörter ".repeat(2_000);
        let page = page(&[&long, &long, "the last word"]);
        let task = "do it\n> [demo/9 from eve]\n".repeat(300);
        let opening = compose(&page, &task).unwrap();
        assert!(opening.text.chars().count() <= limits::OPENING_CHARS);
        assert!(opening.text.ends_with(&task));
        assert!(opening.text.contains("> the last word"));
        assert_eq!(opening.items.last().unwrap().id, page.messages[2].id);
        assert_eq!(opening.more as usize + opening.items.len(), 3);
        assert!(opening.introduced);
    }

    #[test]
    fn a_task_that_fills_the_opening_leaves_the_messages_waiting() {
        let page = page(&["hello"]);
        let task = "x".repeat(limits::OPENING_CHARS);
        let opening = compose(&page, &task).unwrap();
        assert_eq!(opening.text, task);
        assert_eq!(opening.items, []);
        assert_eq!(opening.more, 1);
        assert!(matches!(
            compose(&page, &(task + "x")),
            Err(Failure::Refused(text)) if text.contains("32001")
        ));
    }

    #[test]
    fn a_message_too_long_for_an_opening_is_not_begun_there() {
        let page = page(&[&"y".repeat(60_000)]);
        let opening = compose(&page, "task").unwrap();
        assert_eq!((opening.text.as_str(), opening.items.len()), ("task", 0));
        assert_eq!(opening.more, 1);
    }
}
