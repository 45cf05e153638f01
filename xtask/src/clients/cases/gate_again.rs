//! A message that arrives while the agent answers the first block holds once more.

use anyhow::Result;

use super::shared::{ROOM, delivered_and_confirmed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "gate-again",
    about: "a message that arrives while the agent answers the first block holds once more",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let (first, second) = (stage.room.clone(), stage.room.clone());
    let main = Steps::new()
        .say("finished")
        .after_request(move || first.post(ROOM, "ana", "FIRSTWORD-1").map(drop))
        .say("handled the first")
        .after_request(move || second.post(ROOM, "ben", "SECONDWORD-2").map(drop))
        .say("handled the second");
    let take = stage.model.play(main);

    in_room(stage, "say it").run()?.success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 3)?;
    shown_once(&requests, "FIRSTWORD-1", 1)?;
    shown_once(&requests, "SECONDWORD-2", 2)?;
    delivered_and_confirmed(stage, "demo/1", "gated")?;
    delivered_and_confirmed(stage, "demo/2", "gated")
}
