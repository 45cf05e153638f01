//! Accepts a post: the same on both lanes. Everything is checked first, then the number is
//! reserved, then the message is written; the answer comes when it is on disk.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use room_protocol::limits::{BODY_BYTES, KEY_BYTES, QUOTES};
use room_protocol::message::Post;
use room_protocol::{Author, Handle, Message, MessageId, ProblemKind, RoomName, RunId, Timestamp};
use room_store::{Appended, Error, NewMessage};

use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Accepts a post to an existing room. 201 for a new message, 200 for a resend.
pub async fn accept(
    daemon: Arc<Daemon>,
    headers: &HeaderMap,
    room: RoomName,
    author: Author,
    post: Post,
) -> Result<(StatusCode, Json<Message>)> {
    check_form(&post)?;
    let key = key(headers, post.key.as_deref())?;
    let post = Post { key, ..post };
    if let Some(first) = resent(&daemon, &room, &author, &post).await? {
        return Ok((StatusCode::OK, Json(first)));
    }
    for handle in post.reply_to.iter().chain(&post.quotes) {
        check_reference(&daemon, handle).await?;
    }
    Daemon::whole(async move { write(&daemon, room, author, post).await }).await
}

fn check_form(post: &Post) -> Result<()> {
    if post.body.is_empty() {
        return Err(Refusal::invalid("the message is empty"));
    }
    if post.body.len() > BODY_BYTES {
        return Err(Refusal::new(
            ProblemKind::TooLarge,
            format!(
                "the message has {} bytes; at most {BODY_BYTES} are taken",
                post.body.len()
            ),
        ));
    }
    if post.quotes.len() > QUOTES {
        return Err(Refusal::new(
            ProblemKind::TooLarge,
            format!("a message quotes at most {QUOTES} others"),
        ));
    }
    Ok(())
}

/// The idempotency key, which header and body may both give.
fn key(headers: &HeaderMap, in_body: Option<&str>) -> Result<Option<String>> {
    let in_header = match headers.get("idempotency-key") {
        None => None,
        Some(value) => Some(value.to_str().map_err(|_| {
            Refusal::invalid("the Idempotency-Key header has other characters than visible ASCII")
        })?),
    };
    let key = match (in_header, in_body) {
        (Some(header), Some(body)) if header != body => {
            return Err(Refusal::invalid(
                "the Idempotency-Key header and the body's `key` differ",
            ));
        }
        (header, body) => header.or(body),
    };
    match key {
        Some(key) if !(1..=KEY_BYTES).contains(&key.len()) => Err(Refusal::invalid(format!(
            "an idempotency key has 1 to {KEY_BYTES} bytes"
        ))),
        key => Ok(key.map(str::to_owned)),
    }
}

/// The message that this very post was answered with before, if it was.
async fn resent(
    daemon: &Daemon,
    room: &RoomName,
    author: &Author,
    post: &Post,
) -> Result<Option<Message>> {
    let Some(key) = &post.key else {
        return Ok(None);
    };
    let Some(first) = daemon.store.message_by_key(author, key).await? else {
        return Ok(None);
    };
    let same = first.room == *room
        && first.body == post.body
        && first.to == post.to
        && first.reply_to == post.reply_to
        && first.quotes == post.quotes;
    if same {
        return Ok(Some(first));
    }
    Err(Refusal::new(
        ProblemKind::Conflict,
        format!(
            "this idempotency key was used for {}, which says something else",
            first.handle
        ),
    ))
}

async fn check_reference(daemon: &Daemon, handle: &Handle) -> Result<()> {
    match daemon.store.message(&handle.room, handle.number).await {
        Ok(_) => Ok(()),
        Err(Error::NotFound(_)) => Err(Refusal::not_found(format!("there is no message {handle}"))),
        Err(other) => Err(other.into()),
    }
}

async fn check_addressee(
    daemon: &Daemon,
    room: &RoomName,
    author: &Author,
    to: &RunId,
) -> Result<()> {
    if author.run.as_ref() == Some(to) {
        return Err(Refusal::invalid("a run cannot write to itself"));
    }
    let record = daemon.run_record(to).await?;
    if record.room != *room {
        return Err(Refusal::not_found(format!(
            "there is no run {to} in the room {room}"
        )));
    }
    if let Some(at) = record.ended_at {
        return Err(Refusal::new(
            ProblemKind::RunEnded,
            format!("the run {to} ended at {at}; leave out the addressee to reach the room"),
        ));
    }
    Ok(())
}

async fn write(
    daemon: &Daemon,
    room: RoomName,
    author: Author,
    post: Post,
) -> Result<(StatusCode, Json<Message>)> {
    let entry = daemon.registry.room(&room);
    // A run that is addressed does not end between the check and the writing.
    let _gate = match &post.to {
        Some(to) => {
            let gate = entry.gate.read().await;
            check_addressee(daemon, &room, &author, to).await?;
            Some(gate)
        }
        None => None,
    };
    let number = daemon.store.reserve_number().await?;
    let message = NewMessage {
        id: new_id()?,
        number,
        room,
        author,
        body: post.body,
        sent_at: Timestamp::now(),
        to: post.to,
        reply_to: post.reply_to,
        quotes: post.quotes,
        key: post.key,
    };
    let appended = daemon.store.append_messages(vec![message]).await;
    entry.changed();
    match appended?.pop() {
        Some(Appended::New(message)) => {
            daemon.metrics.posts.fetch_add(1, Ordering::Relaxed);
            Ok((StatusCode::CREATED, Json(message)))
        }
        Some(Appended::Resent(message)) => Ok((StatusCode::OK, Json(message))),
        None => Err(Refusal::internal("the store answered nothing to an append")),
    }
}

fn new_id() -> Result<MessageId> {
    MessageId::try_from(uuid::Uuid::now_v7().to_string())
        .map_err(|e| Refusal::internal(&format!("a new id has a wrong form: {e}")))
}
