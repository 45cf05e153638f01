//! Started through npm's script the CLI may be a grandchild of the launcher.

use anyhow::Result;

use super::shared::{ROOM, delivered_and_confirmed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "npm-script",
    about: "the CLI started through npm's script, a process of its own in between",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let (relayed, gated) = (stage.room.clone(), stage.room.clone());
    let main = Steps::new()
        .shell("echo a step")
        .after_request(move || relayed.post(ROOM, "ana", "NPMWORD-1").map(drop))
        .say("finished")
        .after_request(move || gated.post(ROOM, "ana", "NPMWORD-2").map(drop))
        .say("handled it");
    let take = stage.model.play(main);

    in_room(stage, "do the steps")
        .through_wrapper()
        .run()?
        .success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 3)?;
    shown_once(&requests, "NPMWORD-1", 1)?;
    shown_once(&requests, "NPMWORD-2", 2)?;
    delivered_and_confirmed(stage, "demo/1", "relayed")?;
    delivered_and_confirmed(stage, "demo/2", "gated")
}
