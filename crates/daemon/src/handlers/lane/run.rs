//! `GET /v1/run`: what the run is.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::Run;

use crate::extract::Credentialed;
use crate::present;
use crate::refusal::Result;
use crate::state::Daemon;

/// What the run is.
pub async fn run(
    State(daemon): State<Arc<Daemon>>,
    Credentialed(run): Credentialed,
) -> Result<Json<Run>> {
    let unread = daemon.waiting(&run).await?;
    Ok(Json(present::live_run(&run, unread)))
}
