//! What happens now and then: signs of life go to the store, expired leases are forgotten, runs whose
//! launcher was killed are ended, the
//! directories of runs that ended long ago, or never came to be, are removed.

use std::sync::Arc;
use std::time::Duration;

use room_protocol::{RunId, Timestamp};
use room_store::{Error, RunQuery};

use crate::log::log;
use crate::orphans;
use crate::rundir;
use crate::state::Daemon;
use crate::unproven::Unproven;

/// Longer than a run takes from the making of its directory until the store has it.
const OPENING: Duration = Duration::from_secs(60);

/// Loads the runs that live, and those that ended but may still acknowledge.
pub async fn load(daemon: &Daemon) -> Result<(), Error> {
    let live = RunQuery {
        live: true,
        ..RunQuery::default()
    };
    for record in daemon.store.runs(live).await? {
        daemon.adopt(&record);
    }
    for run in directories(daemon) {
        if daemon.registry.run(&run).is_some() {
            continue;
        }
        match daemon.store.run(&run).await {
            Ok(record) => {
                let now = Timestamp::now();
                daemon.registry.add(&record, Unproven::unknown(), now);
            }
            // A run that never came to be, or that is not this store's.
            Err(Error::NotFound(_)) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Until the daemon ends.
pub async fn keep(daemon: Arc<Daemon>) {
    let mut flush_at = tokio::time::interval(daemon.limits.flush);
    let mut sweep_at = tokio::time::interval(daemon.limits.sweep);
    loop {
        tokio::select! {
            () = daemon.shutdown.wait() => return,
            _ = flush_at.tick() => {
                flush(&daemon, false).await;
                daemon.leases.purge();
                orphans::end_all(&daemon).await;
            }
            _ = sweep_at.tick() => sweep(&daemon).await,
        }
    }
}

/// Tells the store the signs of life that it should know; `all`: that it does not know.
pub async fn flush(daemon: &Daemon, all: bool) {
    for run in daemon.registry.live() {
        let unflushed = run.pulse().unflushed(Timestamp::now(), all);
        let Some(patch) = unflushed else { continue };
        match daemon.store.update_run(&run.id, patch.clone()).await {
            Ok(_) => run.pulse().flushed(&patch),
            Err(e) => log!("run {}: cannot keep its signs of life: {e}", run.id),
        }
    }
}

/// Removes the directories of runs that ended long enough ago, and forgets those runs.
async fn sweep(daemon: &Daemon) {
    let now = Timestamp::now();
    for run in daemon.registry.ended() {
        let due = run
            .ended()
            .is_some_and(|end| now.since(end.at) >= daemon.limits.run_dir_kept);
        if due {
            rundir::remove(daemon.layout.run_dir(&run.id)).await;
            daemon.registry.remove(&run.id);
        }
    }
    if daemon.all_runs {
        sweep_strays(daemon).await;
    }
}

/// Removes the directories of runs that the store does not know: a daemon died between making one and
/// storing its run, or the database was removed.
async fn sweep_strays(daemon: &Daemon) {
    let kept = daemon.limits.run_dir_kept.max(OPENING);
    for run in directories(daemon) {
        if daemon.registry.run(&run).is_some() {
            continue;
        }
        let path = daemon.layout.run_dir(&run);
        if !rundir::is_stray(&path, kept) {
            continue;
        }
        match daemon.store.run(&run).await {
            Err(Error::NotFound(_)) => {
                log!("there is no run {run}; its directory is removed");
                rundir::remove(path).await;
            }
            // It was opened while we looked.
            Ok(_) => {}
            Err(e) => log!("run {run}: cannot look whether it came to be: {e}"),
        }
    }
}

/// The runs that have a directory.
fn directories(daemon: &Daemon) -> Vec<RunId> {
    let entries = match std::fs::read_dir(daemon.layout.runs_dir()) {
        Ok(entries) => entries,
        Err(e) => {
            log!("cannot list the runs' directories: {e}");
            return Vec::new();
        }
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}
