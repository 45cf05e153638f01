//! `GET /v1/runs/{run}`: one run.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::{Run, RunId};

use super::runs::present;
use crate::extract::InPath;
use crate::refusal::Result;
use crate::state::Daemon;

/// One run, live or ended.
pub async fn run(
    State(daemon): State<Arc<Daemon>>,
    InPath(id): InPath<RunId>,
) -> Result<Json<Run>> {
    let record = daemon.run_record(&id).await?;
    present(&daemon, &record).await.map(Json)
}
