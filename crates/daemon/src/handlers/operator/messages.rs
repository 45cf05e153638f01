//! `GET /v1/rooms/{room}/messages`: a page of a room.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::RoomName;
use room_protocol::message::MessagePage;

use crate::extract::{InPath, Query};
use crate::paging::{self, Paging};
use crate::refusal::Result;
use crate::state::Daemon;

/// A page of a room.
pub async fn messages(
    State(daemon): State<Arc<Daemon>>,
    InPath(room): InPath<RoomName>,
    Query(paging): Query<Paging>,
) -> Result<Json<MessagePage>> {
    paging::page(&daemon, &room, &paging).await.map(Json)
}
