//! `POST /v1/run/messages`: posts as the run.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use room_protocol::message::Post;
use room_protocol::{Author, AuthorKind, Handle, Message, ProblemKind};

use crate::extract::{Body, Credentialed};
use crate::posting;
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Posts to the run's room, as the run.
pub async fn post(
    State(daemon): State<Arc<Daemon>>,
    Credentialed(run): Credentialed,
    headers: HeaderMap,
    Body(post): Body<Post>,
) -> Result<(StatusCode, Json<Message>)> {
    if post.author.is_some() || post.kind.is_some() {
        return Err(forbidden(
            "a run posts as itself: leave out `as` and `kind`",
        ));
    }
    let foreign = |handle: &&Handle| handle.room != run.room;
    if let Some(handle) = post.reply_to.iter().chain(&post.quotes).find(foreign) {
        return Err(forbidden(format!(
            "{handle} is not in this run's room {}",
            run.room
        )));
    }
    let author = Author {
        name: run.name.clone(),
        kind: AuthorKind::Agent,
        run: Some(run.id.clone()),
        room: Some(run.room.clone()),
    };
    posting::accept(daemon, &headers, run.room.clone(), author, post).await
}

fn forbidden(detail: impl Into<String>) -> Refusal {
    Refusal::new(ProblemKind::Forbidden, detail)
}
