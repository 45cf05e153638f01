//! `GET /v1/runs`: runs, newest first.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::RoomName;
use room_protocol::operator::Runs;
use room_store::{RunQuery, RunRecord};
use serde::Deserialize;

use crate::extract::Query;
use crate::present;
use crate::refusal::Result;
use crate::state::Daemon;

/// Runs in one answer: the newest.
const MOST: usize = 5_000;

/// Which runs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    room: Option<RoomName>,
    #[serde(default)]
    live: bool,
}

/// Runs, newest first, with what they are doing.
pub async fn runs(
    State(daemon): State<Arc<Daemon>>,
    Query(which): Query<Which>,
) -> Result<Json<Runs>> {
    if let Some(room) = &which.room {
        daemon.existing_room(room).await?;
    }
    let records = daemon
        .store
        .runs(RunQuery {
            room: which.room,
            live: which.live,
            limit: Some(MOST),
        })
        .await?;
    let mut runs = Vec::with_capacity(records.len());
    for record in &records {
        runs.push(present(&daemon, record).await?);
    }
    Ok(Json(Runs { runs }))
}

/// A run as its record says, and as its signs say while it lives.
pub async fn present(daemon: &Daemon, record: &RunRecord) -> Result<room_protocol::Run> {
    if record.ended_at.is_some() {
        return Ok(present::stored_run(record, 0));
    }
    let run = daemon.adopt(record);
    let unread = daemon.waiting(&run).await?;
    Ok(present::live_run(&run, unread))
}
