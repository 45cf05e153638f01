//! `POST /v1/rooms/{room}/messages`: posts to a room.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use room_protocol::message::Post;
use room_protocol::{Author, AuthorKind, Message, RoomName};

use crate::extract::{Body, InPath, Peer};
use crate::posting;
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Posts to a room, under the name that the poster gives.
pub async fn post(
    State(daemon): State<Arc<Daemon>>,
    InPath(room): InPath<RoomName>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    Body(post): Body<Post>,
) -> Result<(StatusCode, Json<Message>)> {
    daemon.existing_room(&room).await?;
    let author = author(peer, &post)?;
    posting::accept(daemon, &headers, room, author, post).await
}

/// Who writes: whoever the poster says. The peer does not change that yet; it is where a post from
/// below a live run would be recognised.
fn author(_peer: Peer, post: &Post) -> Result<Author> {
    let name = post
        .author
        .clone()
        .ok_or_else(|| Refusal::invalid("say in `as` who writes"))?;
    Ok(Author {
        name,
        kind: post.kind.unwrap_or(AuthorKind::Person),
        run: None,
        room: None,
    })
}
