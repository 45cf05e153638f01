//! The end of a run: whoever asks for it.

use room_protocol::Timestamp;
use room_store::{RunEnd, RunRecord};

use crate::log::log;
use crate::refusal::Result;
use crate::registry::RunEntry;
use crate::state::Daemon;

/// Ends a run; one that has ended already stays as it is. The caller holds the run's turn.
pub async fn end(daemon: &Daemon, run: &RunEntry, exit_code: Option<i32>) -> Result<RunRecord> {
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
            exit_code,
        })
        .await;
    run.room_entry.changed();
    let record = ended?;
    run.end(record.ended_at.unwrap_or_else(Timestamp::now));
    daemon.leases.end_any(&run.id);
    log!("run {} ended", run.id);
    Ok(record)
}
