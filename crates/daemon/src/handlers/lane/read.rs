//! `GET /v1/run/room/messages`: a page of the run's room.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::message::MessagePage;

use crate::extract::{Credentialed, Query};
use crate::paging::{self, Paging};
use crate::refusal::Result;
use crate::state::Daemon;

/// A page of the run's room.
pub async fn read(
    State(daemon): State<Arc<Daemon>>,
    Credentialed(run): Credentialed,
    Query(paging): Query<Paging>,
) -> Result<Json<MessagePage>> {
    paging::page(&daemon, &run.room, &paging).await.map(Json)
}
