//! What was said before the run is part of its opening, once.

use anyhow::{Result, ensure};

use super::shared::{ROOM, delivered_and_confirmed, framed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "opening",
    about: "what was said before the run is in its first request, once",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    // The first run makes the room; it ends before anything is said.
    let take = stage.model.play(Steps::new().say("finished"));
    in_room(stage, "say it").named("first").run()?.success()?;
    request_count(&take.requests()?.main(), 1)?;
    let message = stage.room.post(ROOM, "ana", "EARLYWORD-1\nin two lines")?;

    let take = stage
        .model
        .play(Steps::new().shell("echo a step").say("finished"));
    in_room(stage, "do the step")
        .named("second")
        .run()?
        .success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 2)?;
    shown_once(&requests, "EARLYWORD-1", 0)?;
    framed(&requests.0[0], &message, "ana")?;
    delivered_and_confirmed(stage, &message.handle, "opened")?;
    let runs = stage.room.runs()?;
    ensure!(
        runs.iter().all(|run| run.state == "ended"),
        "the runs: {runs:?}"
    );
    Ok(())
}
