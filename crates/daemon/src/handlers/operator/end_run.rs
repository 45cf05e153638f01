//! `POST /v1/runs/{run}/end`: ends a run.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::operator::EndRun;
use room_protocol::{Run, RunId, Timestamp};
use room_store::RunEnd;

use crate::extract::{BodyOr, InPath};
use crate::log::log;
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
        let _gate = run.room_entry.gate.write().await;
        let unflushed = run.pulse().unflushed(Timestamp::now(), true);
        if let Some(patch) = unflushed {
            daemon.store.update_run(&run.id, patch.clone()).await?;
            run.pulse().flushed(&patch);
        }
        let ended = daemon
            .store
            .end_run(RunEnd {
                run: run.id.clone(),
                at: Timestamp::now(),
                exit_code: end.exit_code,
            })
            .await;
        run.room_entry.changed();
        let record = ended?;
        run.end(record.ended_at.unwrap_or_else(Timestamp::now));
        daemon.leases.end_any(&run.id);
        log!("run {} ended", run.id);
        Ok(Json(present::stored_run(&record, 0)))
    })
    .await
}
