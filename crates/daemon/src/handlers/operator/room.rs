//! `GET /v1/rooms/{room}`: a room.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::RoomName;
use room_protocol::operator::Room;

use crate::extract::InPath;
use crate::present;
use crate::refusal::Result;
use crate::state::{Daemon, no_room};

/// A room.
pub async fn room(
    State(daemon): State<Arc<Daemon>>,
    InPath(name): InPath<RoomName>,
) -> Result<Json<Room>> {
    let record = daemon.store.room(&name).await.map_err(|e| match e {
        room_store::Error::NotFound(_) => no_room(&name),
        other => other.into(),
    })?;
    Ok(Json(present::room(&record, &daemon.registry)))
}
