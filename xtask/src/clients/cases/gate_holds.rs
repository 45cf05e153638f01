//! The gate holds the first stop with the message, and lets the second go.

use anyhow::{Result, ensure};

use super::shared::{ROOM, delivered_and_confirmed, framed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "gate-holds",
    about: "the gate holds the first stop with the message and lets the second go",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let main = Steps::new()
        .shell("echo a step")
        .say("finished")
        .after_request(move || room.post(ROOM, "ana", "GATEWORD-1").map(drop))
        .say("handled it");
    let take = stage.model.play(main);

    let outcome = in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 3)?;
    shown_once(&requests, "GATEWORD-1", 2)?;
    framed(&requests.0[2], &stage.room.message(ROOM, "demo/1")?, "ana")?;
    ensure!(outcome.stdout.contains("handled it"), "the answer got lost");
    delivered_and_confirmed(stage, "demo/1", "gated")?;
    let run = stage.room.only_run()?;
    ensure!(
        run.state == "ended" && run.exit_code == Some(0),
        "the run: {run:?}"
    );
    Ok(())
}
