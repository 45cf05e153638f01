//! Without a run (no `RUN_ID`, a malformed one, one never issued) installed hooks do
//! nothing and create nothing.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::shared::{ROOM, install_hooks, request_count, undelivered};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "no-run-id",
    about: "no RUN_ID, a malformed or an unknown one: installed hooks do nothing",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    install_hooks(stage)?;
    // A room with a run and a message that waits for it, so that there is something to take.
    stage.room.start_run(ROOM)?;
    stage.room.post(ROOM, "ana", "NOBODYSWORD-1")?;
    let before = files(&stage.room.home().join("runs"))?;

    let runs = [None, Some("../../elsewhere"), Some("never-issued-here")];
    for (index, run_id) in runs.into_iter().enumerate() {
        let take = stage
            .model
            .play(Steps::new().shell("echo a step").say("finished"));
        let mut agent = stage.agent("do the step").named(&format!("agent-{index}"));
        if let Some(run_id) = run_id {
            agent = agent.env("RUN_ID", run_id);
        }
        agent.run()?.success()?;
        let requests = take.requests()?.main();
        request_count(&requests, 2)?;
        let said = requests.hook_texts();
        ensure!(
            said.is_empty(),
            "with RUN_ID {run_id:?} hooks said {said:#?}"
        );
    }

    let after = files(&stage.room.home().join("runs"))?;
    ensure!(
        before == after,
        "files before: {before:?}, after: {after:?}"
    );
    undelivered(&stage.room, "demo/1")
}

/// Every file below `dir`, sorted.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?);
        }
        found.push(entry.path());
    }
    found.sort();
    Ok(found)
}
