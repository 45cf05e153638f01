//! `GET /v1/rooms/{room}/messages/{number}`: one message.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::{Message, RoomName};
use room_store::Error;

use crate::extract::InPath;
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// One message, with its deliveries and where it stands.
pub async fn message(
    State(daemon): State<Arc<Daemon>>,
    InPath((room, number)): InPath<(RoomName, u64)>,
) -> Result<Json<Message>> {
    find(&daemon, &room, number).await.map(Json)
}

/// The message. Errors: 404 that names it, or that says how to make the room.
pub async fn find(daemon: &Daemon, room: &RoomName, number: u64) -> Result<Message> {
    match daemon.store.message(room, number).await {
        Ok(message) => Ok(message),
        Err(Error::NotFound(_)) => {
            daemon.existing_room(room).await?;
            Err(Refusal::not_found(format!(
                "there is no message {room}/{number}"
            )))
        }
        Err(other) => Err(other.into()),
    }
}
