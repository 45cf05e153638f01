//! Parallel tool calls end with several hooks at once: the message comes once.

use anyhow::Result;

use super::shared::{ROOM, delivered_and_confirmed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "parallel-tools",
    about: "parallel tool calls deliver a message once",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    // Several calls that end together, so that their hooks meet.
    let calls = ["echo a", "echo b", "sleep 0.2; echo c", "sleep 0.2; echo d"];
    let main = Steps::new()
        .parallel(calls)
        .after_request(move || room.post(ROOM, "ana", "PARWORD-1").map(drop))
        .say("finished");
    let take = stage.model.play(main);

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 2)?;
    shown_once(&requests, "PARWORD-1", 1)?;
    delivered_and_confirmed(stage, "demo/1", "relayed")
}
