//! `GET /v1/rooms`: all rooms.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::operator::Rooms;

use crate::present;
use crate::refusal::Result;
use crate::state::Daemon;

/// All rooms, by name.
pub async fn rooms(State(daemon): State<Arc<Daemon>>) -> Result<Json<Rooms>> {
    let records = daemon.store.rooms().await?;
    let rooms = records
        .iter()
        .map(|record| present::room(record, &daemon.registry))
        .collect();
    Ok(Json(Rooms { rooms }))
}
