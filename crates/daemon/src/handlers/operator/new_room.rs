//! `POST /v1/rooms`: makes a room.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use room_protocol::Timestamp;
use room_protocol::operator::{NewRoom, Room};

use crate::extract::Body;
use crate::present;
use crate::refusal::Result;
use crate::state::Daemon;

/// Makes a room; 200 where it is there already.
pub async fn new_room(
    State(daemon): State<Arc<Daemon>>,
    Body(new): Body<NewRoom>,
) -> Result<(StatusCode, Json<Room>)> {
    let (record, is_new) = daemon
        .store
        .create_room(&new.name, Timestamp::now())
        .await?;
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(present::room(&record, &daemon.registry))))
}
