//! `POST /v1/runs/{run}/end`: ends a run.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::operator::EndRun;
use room_protocol::{Run, RunId};

use crate::ending;
use crate::extract::{BodyOr, InPath};
use crate::present;
use crate::refusal::Result;
use crate::state::Daemon;

/// Ends a run; one that has ended already stays as it is.
pub async fn end_run(
    State(daemon): State<Arc<Daemon>>,
    InPath(id): InPath<RunId>,
    BodyOr(end): BodyOr<EndRun>,
) -> Result<Json<Run>> {
    let record = daemon.run_record(&id).await?;
    if record.ended_at.is_some() {
        return Ok(Json(present::stored_run(&record, 0)));
    }
    let run = daemon.adopt(&record);
    Daemon::whole(async move {
        let _turn = run.turn.lock().await;
        let record = ending::end(&daemon, &run, end.exit_code).await?;
        Ok(Json(present::stored_run(&record, 0)))
    })
    .await
}
